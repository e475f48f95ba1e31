import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { openSync } from 'node:fs';

/**
 * Starts a program. Where the system has `setpriv` (util-linux), the program is killed when this process ends
 * for any reason. The program gets this process's environment without its secrets.
 */
export function spawnChild(
  command: string,
  args: string[],
  options: SpawnOptions = {},
): ChildProcess {
  const [program, ...rest] = endingWithParent([command, ...args]);
  const env = { ...withoutSecrets(process.env), ...options.env };
  return spawn(program!, rest, { ...options, stdio: withOutputFile(options.stdio), env });
}

/**
 * Replaces the inherited output of a program by the file in CHILD_OUTPUT, which only the tests set: services log
 * the errors that the tests cause.
 */
function withOutputFile(stdio: SpawnOptions['stdio']): SpawnOptions['stdio'] {
  const file = process.env.CHILD_OUTPUT;
  if (!file || !Array.isArray(stdio)) return stdio;
  outputFile ??= openSync(file, 'a');
  return stdio.map((stream) => (stream === 'inherit' ? outputFile : stream));
}

let outputFile: number | undefined;

/** The kernel sends the signal when the thread that started the program ends: here the main thread. */
const diesWithParent = ['setpriv', '--pdeathsig', 'KILL'];
let isOffered: boolean | undefined;

/** Whether the system has `setpriv`, by which {@link spawnChild} makes a program end with this process. */
export function canEndWithParent(): boolean {
  const [setpriv, ...args] = diesWithParent;
  isOffered ??= spawnSync(setpriv!, [...args, 'true'], { stdio: 'ignore' }).status === 0;
  return isOffered;
}

/** Wraps a command so that it ends with this process; returns it unchanged where `setpriv` is missing. */
export const endingWithParent = (command: string[]): string[] =>
  canEndWithParent() ? [...diesWithParent, ...command] : command;

/** Variables with such names are not inherited. A program gets the secrets that it needs explicitly. */
const isSecret = (name: string) => /(?:SECRET|KEY|TOKEN|PASSWORD)$/i.test(name);

const withoutSecrets = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !isSecret(name)));
