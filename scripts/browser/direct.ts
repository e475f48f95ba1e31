// Runs a browser without the proxy, for tests of the page's guard: node direct.ts PROGRAM ARGUMENTS…
import { spawnChild } from '../child.ts';
import { printStartMessages } from './start-messages.ts';

const [program, ...args] = process.argv.slice(2);
const child = spawnChild(program!, args, { stdio: ['ignore', 'inherit', 'pipe'] });
child.once('exit', (code) => process.exit(code ?? 1));
await printStartMessages(child.stderr!);
