import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from 'node:child_process';

/**
 * Starts a program that ends with this process, however this process ends, where the system offers it
 * (setpriv of util-linux). The program gets the environment without what is secret in it.
 */
export function spawnChild(
  command: string,
  args: string[],
  options: SpawnOptions = {},
): ChildProcess {
  const [program, ...rest] = endingWithParent([command, ...args]);
  const env = { ...withoutSecrets(process.env), ...options.env };
  return spawn(program!, rest, { ...options, env });
}

/** The kernel sends the signal when the thread that started the program ends: here the main one. */
const diesWithParent = ['setpriv', '--pdeathsig', 'KILL'];
let isOffered: boolean | undefined;

/** Whether {@link spawnChild} can make a program end with this process. */
export function canEndWithParent(): boolean {
  const [setpriv, ...args] = diesWithParent;
  isOffered ??= spawnSync(setpriv!, [...args, 'true'], { stdio: 'ignore' }).status === 0;
  return isOffered;
}

/** A command line that runs another one so that it ends with this process, where that is offered. */
export const endingWithParent = (command: string[]): string[] =>
  canEndWithParent() ? [...diesWithParent, ...command] : command;

/** A variable of that name is not handed on: a program of the service is told the secrets that it needs. */
const isSecret = (name: string) => /(?:SECRET|KEY|TOKEN|PASSWORD)$/i.test(name);

const withoutSecrets = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !isSecret(name)));
