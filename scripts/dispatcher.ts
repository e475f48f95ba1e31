import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { ServiceError } from '../src/errors.ts';
import { bodyReader } from './workshop-bodies.ts';
import { callOf, refuse } from './workshop-call.ts';
import { openPlaces } from './workshop-places.ts';
import { startProcess, type ProcessOptions } from './workshop-process.ts';
import { takeTurns } from './workshop-turns.ts';

/**
 * The place that the front's calls go to on one's own machine: it reads each body, lets the calls wait
 * for a free process, in turns by account, and ends a process that computes for too long.
 */
export interface Dispatcher {
  /** Process ids of the workshops. */
  pids(): number[];
  stop(): Promise<void>;
}

export interface DispatcherOptions extends Omit<ProcessOptions, 'stopping'> {
  /** Processes to run. */
  count: number;
  /** Path of the Unix socket at which it listens. */
  socket: string;
}

/** Throws when a process does not start, or the socket cannot be used; then nothing is left running. */
export async function startDispatcher({
  count,
  socket,
  ...options
}: DispatcherOptions): Promise<Dispatcher> {
  const bodies = bodyReader();
  const turns = takeTurns(() => places.running);
  const places = await openPlaces({
    count,
    start: (stopping) => startProcess({ ...options, stopping }),
    offer: turns.offer,
  });

  const server = createServer((request, response) => {
    accept(request, response).catch((error: unknown) => {
      if (error instanceof ServiceError) refuse(response, error);
      else response.destroy(error as Error);
    });
  });
  // Bodies have time-outs of their own, by their size.
  server.requestTimeout = 0;
  try {
    await once(server.listen(socket), 'listening');
  } catch (error) {
    await places.stop();
    throw error;
  }

  async function accept(request: IncomingMessage, response: ServerResponse) {
    const call = callOf(request, response);
    response.once('close', () => turns.drop(call));
    call.body = await bodies.read(request, response, call.account);
    if (!response.destroyed) turns.take(call);
  }

  return {
    pids: () => [...places.running].map(({ process }) => process.pid),
    async stop() {
      server.close();
      server.closeAllConnections();
      await places.stop();
    },
  };
}
