import { Hono } from 'hono';
import { html } from 'hono/html';
import type { Child } from 'hono/jsx';
import { secureHeaders } from 'hono/secure-headers';
import styles from './page.css';

/** Serves the style sheet of all pages. */
export const pageAssets = new Hono().get('/page.css', (c) =>
  c.body(styles, 200, { 'Content-Type': 'text/css' }),
);

/** CSP of all pages: resources, requests and forms go to the same origin only; no inline scripts, no frames. */
export const pageHeaders = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: ["'self'"],
    scriptSrc: ["'self'"],
    imgSrc: ["'self'", 'blob:', 'data:'],
    connectSrc: ["'self'"],
    formAction: ["'self'"],
    frameAncestors: ["'none'"],
    baseUri: ["'none'"],
  },
});

export interface Link {
  href: string;
  text: string;
  current?: boolean;
}

interface PageProps {
  title: string;
  /** Label of the navigation for screen readers. */
  about: string;
  links: Link[];
  /** Paths of an additional style sheet and a script. */
  style?: string;
  script?: string;
  children: Child;
}

/** Renders a whole HTML document with navigation. */
export function page({ title, about, links, style, script, children }: PageProps) {
  return html`<!doctype html>${(
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width" />
          <title>{title}</title>
          <link rel="stylesheet" href="/page.css" />
          {style && <link rel="stylesheet" href={style} />}
          <link rel="icon" href="data:," />
          {script && <script type="module" src={script} />}
        </head>
        <body>
          <nav aria-label={about}>
            <ul>
              {links.map(({ href, text, current }) => (
                <li>
                  <a href={href} aria-current={current ? 'page' : undefined}>
                    {text}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
          <main>{children}</main>
        </body>
      </html>
    )}`;
}
