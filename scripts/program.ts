import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnChild } from './child.ts';

/** A Node program of the service. */
export interface Program {
  command: string;
  args?: string[];
  env: Record<string, string>;
  /** Sent to the program over IPC when it has started. */
  message?: object;
  /** Aborts the start of the program. */
  stopping?: AbortSignal | undefined;
}

interface Running {
  url: string;
  pid: number;
  /** Resolves when the program has ended for any reason. */
  ended: Promise<void>;
  /** Sends SIGTERM to the program and its children, and SIGKILL when they do not end in time. */
  stop(): Promise<void>;
  /** Sends SIGKILL to the program and its children. */
  kill(): Promise<void>;
}

const root = resolve(import.meta.dirname, '..');

/** Milliseconds after which the start of a program counts as failed. */
const startTimeoutMs = 90_000;
/** Milliseconds between SIGTERM and SIGKILL. Closing a browser takes seconds. */
const stopTimeoutMs = 10_000;

/** Starts a program and waits until its `/health` answers. Throws when the program ends before or times out. */
export async function run(name: string, url: string, program: Program): Promise<Running> {
  const { command, args = [], env, message, stopping } = program;
  stopping?.throwIfAborted();
  const child = spawnChild(process.execPath, [command, ...args], {
    cwd: root,
    // A process group of its own, so that its children can be ended with it.
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', message ? 'ipc' : 'ignore'],
    env,
  });
  if (message) child.send(message);
  const ended = once(child, 'exit').then(() => {});
  const stop = () => endGroup(child, ended);
  const kill = async () => {
    signalGroup(child, 'SIGKILL');
    await ended;
  };
  const early = ended.then(() => {
    throw new Error(`${name} ended before the service was ready; see its error above`);
  });
  try {
    const stopped = stopping && once(stopping, 'abort');
    await Promise.race([answering(`${url}/health`), early, ...(stopped ? [stopped] : [])]);
    stopping?.throwIfAborted();
  } catch (error) {
    await stop();
    throw error;
  }
  early.catch(() => {});
  return { url, pid: child.pid!, ended, stop, kill };
}

async function answering(url: string): Promise<void> {
  const end = Date.now() + startTimeoutMs;
  while (Date.now() < end) {
    const answer = await fetch(url, { signal: AbortSignal.timeout(5000) }).catch(() => undefined);
    if (answer?.ok) return;
    await sleep(100);
  }
  throw new Error(`the service did not answer within ${startTimeoutMs / 1000} s`);
}

async function endGroup(child: ChildProcess, ended: Promise<void>): Promise<void> {
  signalGroup(child, 'SIGTERM');
  await Promise.race([ended, sleep(stopTimeoutMs, undefined, { ref: false })]);
  signalGroup(child, 'SIGKILL');
}

function signalGroup(child: ChildProcess, name: NodeJS.Signals) {
  try {
    process.kill(-child.pid!, name);
  } catch {
    // All processes of the group have ended already.
  }
}
