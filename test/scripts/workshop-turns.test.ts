import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { callOf } from '../../scripts/workshop-call.ts';
import { placeOf, type Place } from '../../scripts/workshop-places.ts';
import { takeTurns } from '../../scripts/workshop-turns.ts';

/** A place whose process waits for something until its call is aborted. */
function placeThatWaits(): Place {
  const { promise: finished, reject } = Promise.withResolvers<void>();
  return placeOf({
    pid: 1,
    ended: new Promise(() => {}),
    wasKilled: false,
    run: () => ({ finished, abort: () => reject(new Error('aborted')) }),
    processorMs: () => 0,
    answers: async () => true,
    kill: async () => {},
  });
}

it('sends the error for an exceeded time limit to the client', async () => {
  const request = new IncomingMessage(new Socket());
  request.url = '/wait/json';
  const response = new ServerResponse(request);
  const place = placeThatWaits();
  const turns = takeTurns(() => [place]);
  turns.take({ ...callOf(request, response), timeLimitMs: 10, computingLimitMs: 10 });
  expect(place.calls.size).toBe(1);
  await expect.poll(() => place.calls.size).toBe(0);
  expect(response.statusCode).toBe(503);
  // A destroyed response loses what its socket has not taken yet.
  expect(response).toMatchObject({ writableEnded: true, destroyed: false });
});
