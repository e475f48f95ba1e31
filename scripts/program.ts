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
  /** Told to it when it has started. */
  message?: object;
  /** Ends it while it is not ready yet. */
  stopping?: AbortSignal | undefined;
}

export interface Running {
  url: string;
  pid: number;
  /** Settles when it has ended, whoever ended it. */
  ended: Promise<void>;
  /** Asks it and what it started to end, then makes them. */
  stop(): Promise<void>;
  /** Ends it and what it started at once. */
  kill(): Promise<void>;
}

const root = resolve(import.meta.dirname, '..');

/** Milliseconds that a program may take until it answers. */
const startTimeoutMs = 90_000;
/** Milliseconds to end when asked to: there may be browsers to close, each of which takes seconds. */
const stopTimeoutMs = 10_000;

/** Starts a program and waits until its `/health` answers. */
export async function run(name: string, url: string, program: Program): Promise<Running> {
  const { command, args = [], env, message, stopping } = program;
  stopping?.throwIfAborted();
  const child = spawnChild(process.execPath, [command, ...args], {
    cwd: root,
    // A group of its own, because its own children outlive it.
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
    throw new Error(`${name} ended before the service was ready; its reason is above`);
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
    // The group is gone already.
  }
}
