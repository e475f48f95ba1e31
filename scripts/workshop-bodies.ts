import type { IncomingMessage, ServerResponse } from 'node:http';
import pTimeout from 'p-timeout';
import { ServiceError } from '../src/errors.ts';
import { bodyArrivesWithinMs } from '../src/shared/body-stream.ts';
import { largestMessage } from '../src/shared/body.ts';
import { MiB } from '../src/tools/tool.ts';
import { busy } from './workshop-call.ts';

/** Reads the bodies of calls into memory, within a budget for each account and a budget for all. */
interface BodyReader {
  /**
   * Reads a whole body. Its bytes count until the response is closed. Throws 503 when a budget is exceeded,
   * but only after the whole body has arrived, because the sender reads no answer before. Throws 408 when the
   * body takes too long to arrive.
   */
  read(request: IncomingMessage, response: ServerResponse, account: string): Promise<Buffer>;
}

export interface BodyLimits {
  /** Budget in bytes of all accounts together. */
  totalBytes?: number;
  /** Budget in bytes of one account. */
  accountBytes?: number;
  /** Returns the timeout in milliseconds for a body of a size. */
  arrivesWithinMs?: (bytes: number) => number;
}

/** Creates a body reader. */
export function bodyReader({
  totalBytes = 512 * MiB,
  accountBytes = 128 * MiB,
  arrivesWithinMs = bodyArrivesWithinMs,
}: BodyLimits = {}): BodyReader {
  const heldByAccount = new Map<string, number>();
  let heldInTotal = 0;

  /** Adds bytes to the count of an account; a negative number subtracts. */
  function count(account: string, bytes: number) {
    heldInTotal += bytes;
    const held = (heldByAccount.get(account) ?? 0) + bytes;
    if (held > 0) heldByAccount.set(account, held);
    else heldByAccount.delete(account);
  }

  const hasRoom = (account: string, bytes: number) =>
    heldInTotal + bytes <= totalBytes && (heldByAccount.get(account) ?? 0) + bytes <= accountBytes;

  return {
    async read(request, response, account) {
      const announcedBytes = Number(request.headers['content-length'] ?? largestMessage);
      let chunks: Buffer[] = [];
      let held = 0;
      let isGivenBack = false;
      const giveBack = () => {
        isGivenBack = true;
        chunks = [];
        count(account, -held);
        held = 0;
      };
      response.once('close', giveBack);
      const reading = (async () => {
        // Bytes count when they arrive, because an announced body takes no memory yet.
        for await (const chunk of request as AsyncIterable<Buffer>) {
          if (isGivenBack) continue;
          if (hasRoom(account, chunk.length)) {
            count(account, chunk.length);
            held += chunk.length;
            chunks.push(chunk);
          } else giveBack();
        }
        if (isGivenBack) throw busy('too many large bodies at once');
        const body = Buffer.concat(chunks);
        chunks = [];
        return body;
      })();
      const message = new ServiceError('request_timeout', 'the body did not arrive in time');
      try {
        return await pTimeout(reading, { milliseconds: arrivesWithinMs(announcedBytes), message });
      } catch (error) {
        giveBack();
        throw error;
      }
    },
  };
}
