import type { Child } from 'hono/jsx';
import { page } from '../page/page.tsx';
import type { Session } from './session.ts';

export interface View {
  session: Session;
  /** The account that the page shows. */
  account: string;
}

export const pathOf = (account: string) => `/dashboard/accounts/${encodeURIComponent(account)}`;

export const number = new Intl.NumberFormat('en');

/** Properties that all pages of the dashboard share, including the sign-in page. */
export const frame = {
  about: 'Dashboard',
  style: '/dashboard/dashboard.css',
  script: '/dashboard/dashboard.js',
};

/** Renders a page for a signed-in person, with navigation and a sign-out button. */
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
  /** Number of numeric columns, which are the last ones. A table with numeric columns fits on a phone. */
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

/** Renders a time in UTC, because usage is counted by UTC days. */
export function Time({ at }: { at: number }) {
  const iso = new Date(at).toISOString();
  return <time datetime={iso}>{iso.slice(0, 16).replace('T', ' ')}</time>;
}
