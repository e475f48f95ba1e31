import type { Child } from 'hono/jsx';
import type { Account, KeyInfo, NewKey, UsageRow } from '../account/account.ts';
import { snippets } from '../docs/snippets.ts';
import { page } from '../page/page.tsx';
import { tools } from '../tools/index.ts';
import type { Tool } from '../tools/tool.ts';
import { UsageChart } from './chart.tsx';
import { dashboardPage, frame, number, pathOf, Table, Time, type View } from './frame.tsx';
import type { Session } from './session.ts';

/** Number of days in the chart, including today. */
export const chartDays = 30;

type Described = Awaited<ReturnType<Account['describe']>>;

/** Renders the balance, keys and usage of an account. */
export function accountPage(view: View, described: Described, days: string[]) {
  const { session, account } = view;
  const { credits, keys, usage, grants } = described;
  const [active, revoked] = [keys.filter(isActive), keys.filter((key) => !isActive(key))];
  return dashboardPage(
    view,
    account,
    <>
      <p class="figure">
        <strong>{number.format(credits)}</strong> credits
      </p>
      {session.operator && <GrantForm account={account} />}
      <h2>Keys</h2>
      <Keys account={account} keys={active} />
      <NewKeyForm account={account} />
      {revoked.length > 0 && <RevokedKeys keys={revoked} />}
      <h2>Usage</h2>
      {usage.length > 0 ? (
        <Usage days={days} usage={usage} />
      ) : (
        <p class="quiet">
          Nothing in the last {chartDays} days. What you call shows here after a second or two.
        </p>
      )}
      {grants.length > 0 && (
        <details>
          <summary>Credits received</summary>
          <Table
            head={['When', 'From', 'Credits']}
            numbers={1}
            rows={grants.map((grant) => [<Time at={grant.at} />, grant.by, grant.credits])}
          />
        </details>
      )}
    </>,
  );
}

const isActive = ({ revoked_at }: KeyInfo) => revoked_at === null;

function Keys({ account, keys }: { account: string; keys: KeyInfo[] }) {
  if (keys.length === 0) return <p>No keys yet. A program needs one to call a tool.</p>;
  return (
    <Table
      head={['Name', 'Begins with', 'Created', 'Last used', '']}
      rows={keys.map((key) => [
        key.name,
        <code>{key.hint}</code>,
        <Time at={key.created_at} />,
        key.last_used_at === null ? 'never' : <Time at={key.last_used_at} />,
        <a href={`${pathOf(account)}/keys/${key.id}/revoke`} aria-label={`Revoke ${key.name}`}>
          Revoke…
        </a>,
      ])}
    />
  );
}

function RevokedKeys({ keys }: { keys: KeyInfo[] }) {
  return (
    <details>
      <summary>{keys.length} revoked</summary>
      <Table
        head={['Name', 'Begins with', 'Created', 'Revoked']}
        rows={keys.map((key) => [
          key.name,
          <code>{key.hint}</code>,
          <Time at={key.created_at} />,
          <Time at={key.revoked_at!} />,
        ])}
      />
    </details>
  );
}

function NewKeyForm({ account }: { account: string }) {
  return (
    <form method="post" action={`${pathOf(account)}/keys`} class="row">
      <label>
        Name of a new key
        <input name="name" required maxlength={100} placeholder="laptop" autocomplete="off" />
      </label>
      <button>Create key</button>
    </form>
  );
}

function GrantForm({ account }: { account: string }) {
  return (
    <form method="post" action={`${pathOf(account)}/credits`} class="row">
      <label>
        Credits to grant
        <input name="credits" type="number" required min={1} max={1e12} step={1} />
      </label>
      <button>Grant</button>
    </form>
  );
}

function Usage({ days, usage }: { days: string[]; usage: UsageRow[] }) {
  return (
    <>
      <UsageChart days={days} usage={usage} />
      <Table
        head={['Day', 'Tool', 'Calls', 'Credits']}
        numbers={2}
        rows={usage
          .toReversed()
          .map(({ day, tool, calls, credits }) => [
            day,
            <a href={`/docs/${tool}`}>{tool}</a>,
            calls,
            credits,
          ])}
      />
    </>
  );
}

/** Renders a new key, which no other page shows. */
export function newKeyPage(view: View, name: string, { key }: NewKey, origin: string) {
  return dashboardPage(
    view,
    `Key “${name}”`,
    <>
      <p>
        Copy it now: it is <strong>not shown again</strong>, and stored nowhere.
      </p>
      <Copied label="API key" text={key} />
      <h2>Try it</h2>
      <Copied label="A call" text={firstCall(key, origin)} />
      <p>
        <a href={`/docs/${exampleTool.name}`} data-key={key}>
          Try the tools in the docs
        </a>
      </p>
      <p>
        <a href={pathOf(view.account)}>Back to the account</a>
      </p>
    </>,
  );
}

/** The tool of the example call: the first one that costs credits, so that the call needs the key. */
const exampleTool = (tools as readonly Tool[]).find(({ credits }) => credits > 0)!;

const firstCall = (key: string, origin: string) =>
  snippets(exampleTool, exampleTool.examples[0]!.input, origin).curl!.replace(
    '\'"$KEY"',
    `${key}'`,
  );

function Copied({ label, text }: { label: string; text: string }) {
  return (
    <div class="copied">
      <pre aria-label={label} tabindex={0}>
        {text}
      </pre>
      <button type="button" hidden data-copy>
        Copy
      </button>
    </div>
  );
}

/** Renders the confirmation before a key is revoked. */
export function revokePage(view: View, key: KeyInfo) {
  const back = pathOf(view.account);
  return dashboardPage(
    view,
    `Revoke “${key.name}”?`,
    <>
      <p>
        Within a second, calls with <code>{key.hint}</code> are refused. This cannot be undone; you
        can create a new key.
      </p>
      <form method="post" action={`${back}/keys/${key.id}/revoke`} class="row choice">
        <button class="danger">Revoke the key</button>
        <a href={back}>Keep it</a>
      </form>
    </>,
  );
}

interface ListedAccount {
  name: string;
  credits: number;
}

/** Renders the list of all accounts, for operators. */
export function accountsPage(
  session: Session,
  accounts: ListedAccount[],
  { search, next }: { search: string; next: string | undefined },
) {
  const more = new URLSearchParams({ search, after: next ?? '' });
  return dashboardPage(
    { session, account: '' },
    'Accounts',
    <>
      <form class="row">
        <label>
          Name contains
          <input name="search" type="search" value={search} />
        </label>
        <button>Search</button>
      </form>
      {accounts.length > 0 ? (
        <Table
          head={['Account', 'Credits']}
          numbers={1}
          rows={accounts.map(({ name, credits }) => [<a href={pathOf(name)}>{name}</a>, credits])}
        />
      ) : (
        <p>None.</p>
      )}
      {next !== undefined && <a href={`/dashboard/accounts?${more}`}>More</a>}
    </>,
  );
}

/** Renders the sign-in page. */
export function signInPage(hasSecret: boolean, problem?: string) {
  const hint = hasSecret
    ? 'If you have a sign-in link, open it. Operators sign in with the secret of the service.'
    : 'Open your sign-in link. An operator of the service can create one.';
  return signedOutPage(
    'Sign in',
    <>
      {problem && (
        <p class="bad" role="alert">
          {problem}
        </p>
      )}
      <p>{hint}</p>
      {hasSecret && (
        <form method="post" action="/dashboard/sign-in">
          <label>
            Account
            <input
              name="account"
              required
              maxlength={100}
              autocomplete="username"
              value="operator"
            />
          </label>
          <label>
            Secret
            <input name="secret" type="password" required autocomplete="current-password" />
          </label>
          <button>Sign in</button>
        </form>
      )}
    </>,
  );
}

/** Renders the page of a sign-in link. Only the button on it signs in. */
export function linkPage(token: string) {
  return signedOutPage(
    'Sign in',
    <>
      <p>This link signs you in to the dashboard, once.</p>
      <form method="post" action="/dashboard/sign-in/link">
        <input type="hidden" name="token" value={token} />
        <button>Sign in</button>
      </form>
    </>,
  );
}

/** Renders an error with a link back to the dashboard. */
export function problemPage(message: string) {
  return signedOutPage(
    'Request failed',
    <>
      <p>{message}</p>
      <p>
        <a href="/dashboard">To the dashboard</a>
      </p>
    </>,
  );
}

/** Renders a page with only the title for a heading, and without the links of an account. */
function signedOutPage(title: string, children: Child) {
  return page({
    ...frame,
    title,
    links: [{ href: '/docs', text: 'Docs' }],
    children: (
      <>
        <h1>{title}</h1>
        {children}
      </>
    ),
  });
}
