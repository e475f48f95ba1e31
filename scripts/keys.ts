// npm run keys -- <command>: creates, lists and revokes API keys, grants credits and creates sign-in links.
import { parseArgs } from 'node:util';
import { readLocal } from './local.ts';
import { operator } from './operator.ts';

const usage = `Usage: npm run keys -- <command> [options]

  create <account> [--name NAME]   create a key; it is shown only once
  list <account>                   show balance, keys and usage of an account
  revoke <account> <key id>        revoke a key
  grant <account> <credits>        add credits
  sign-in <account> [--operator]   create a link that signs in to the dashboard once, within a day

  --url URL   URL of the service; default http://127.0.0.1:8787, the service of npm start.
              For any other service set ADMIN_SECRET to its operator secret.`;

try {
  await main();
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      url: { type: 'string', default: 'http://127.0.0.1:8787' },
      name: { type: 'string', default: 'unnamed' },
      operator: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const [command, account, argument] = positionals;
  if (values.help || !command || !account) return console.log(usage);
  const admin = operator(values.url, process.env.ADMIN_SECRET ?? (await localSecret()));
  switch (command) {
    case 'create': {
      const { key, id } = await admin.createKey(account, values.name);
      return console.log(`${key}\n\nIts id is ${id}. Keep the key safe: it is not shown again.`);
    }
    case 'list': {
      const { credits, keys, usage: spent } = await admin.describe(account);
      console.log(`${credits} credits`);
      console.table(keys.map((key) => ({ ...key, ...inDates(key) })));
      return console.table(spent);
    }
    case 'revoke':
      await admin.revokeKey(account, required(argument, 'a key id'));
      return console.log(`revoked ${argument}`);
    case 'grant':
      return console.log(
        `${await admin.grant(account, Number(required(argument, 'credits')))} credits`,
      );
    case 'sign-in':
      return console.log(await admin.signInLink(account, values.operator));
    default:
      throw new Error(`no command "${command}"\n\n${usage}`);
  }
}

async function localSecret(): Promise<string> {
  return (await readLocal(`${process.env.STATE_DIR ?? '.wrangler/state'}/local.json`)).adminSecret;
}

function required(value: string | undefined, what: string): string {
  if (value === undefined) throw new Error(`${what} is missing\n\n${usage}`);
  return value;
}

function inDates<T extends Record<string, unknown>>(row: T) {
  const date = (value: unknown) => (typeof value === 'number' ? new Date(value).toISOString() : '');
  return Object.fromEntries(
    ['created_at', 'last_used_at', 'revoked_at'].map((name) => [name, date(row[name])]),
  );
}
