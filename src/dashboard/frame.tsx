import type { Child } from 'hono/jsx';
import { page } from '../page/page.tsx';
import type { Session } from './session.ts';

export interface View {
  session: Session;
  /** The account that is looked at. */
  account: string;
}

export const pathOf = (account: string) => `/dashboard/accounts/${encodeURIComponent(account)}`;

export const number = new Intl.NumberFormat('en');

/** What all pages of the dashboard have, also those for who is not signed in. */
export const frame = {
  about: 'Dashboard',
  style: '/dashboard/dashboard.css',
  script: '/dashboard/dashboard.js',
};

/** A page for who is signed in, with the ways around and out. */
export function dashboardPage({ session, account }: View, title: string, children: Child) {
  const own = session.account;
  return page({
    ...frame,
    title,
    links: [
      { href: pathOf(own), text: 'Your account', current: account === own },
      ...(session.operator
        ? [{ href: '/dashboard/accounts', text: 'Accounts', current: account !== own }]
        : []),
      { href: '/docs', text: 'Docs' },
    ],
    children: (
      <>
        <h1>{title}</h1>
        {children}
        <form method="post" action={session.signOut} class="foot">
          <span class="quiet">
            Signed in as {own}
            {session.operator && ', an operator'}
          </span>
          <button class="plain">Sign out</button>
        </form>
      </>
    ),
  });
}

interface TableProps {
  head: string[];
  rows: Child[][];
  /** How many columns hold numbers: the last ones. A table of numbers is narrow enough for a phone. */
  numbers?: number;
}

export function Table({ head, rows, numbers = 0 }: TableProps) {
  const classOf = (column: number) => (column >= head.length - numbers ? 'number' : undefined);
  return (
    <table class={numbers > 0 ? 'narrow' : undefined}>
      <thead>
        <tr>
          {head.map((name, i) =>
            name ? (
              <th scope="col" class={classOf(i)}>
                {name}
              </th>
            ) : (
              <td />
            ),
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            {row.map((cell, i) => (
              <td class={classOf(i)} data-head={head[i] || undefined}>
                {typeof cell === 'number' ? number.format(cell) : cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** In UTC, as days are counted. */
export function Time({ at }: { at: number }) {
  const iso = new Date(at).toISOString();
  return <time datetime={iso}>{iso.slice(0, 16).replace('T', ' ')}</time>;
}
