import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { ServiceError } from '../src/errors.ts';
import { bodyReader } from './workshop-bodies.ts';
import { callOf, refuse } from './workshop-call.ts';
import { openPlaces } from './workshop-places.ts';
import { startProcess, type ProcessOptions } from './workshop-process.ts';
import { takeTurns } from './workshop-turns.ts';

/**
 * The local replacement of the workshop Worker. The front sends its jobs to the dispatcher, which reads their
 * bodies, queues them fairly between accounts, runs them in workshop processes, and ends a process that
 * computes for too long.
 */
export interface Dispatcher {
  /** Process ids of the running workshop processes. */
  pids(): number[];
  stop(): Promise<void>;
}

export interface DispatcherOptions extends Omit<ProcessOptions, 'stopping'> {
  /** Number of workshop processes. */
  count: number;
  /** Path of the Unix socket on which the dispatcher listens. */
  socket: string;
}

/**
 * Starts a dispatcher. Throws, and stops everything, when a process does not start or the socket cannot be
 * used.
 */
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
  // The body reader has its own timeout, which depends on the size of the body.
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
