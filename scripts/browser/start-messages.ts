import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { devToolsLine } from './sockets.ts';

/**
 * Prints the messages of a browser up to the line with the address of its DevTools, and drops all others. Miniflare
 * reads no further, and a browser stops when the pipe of its messages is full.
 *
 * @param addressLine returns the line to print, from the browser's line and the path in it
 */
export async function printStartMessages(
  messages: Readable,
  addressLine: (line: string, path: string) => string | Promise<string> = (line) => line,
): Promise<void> {
  let isReady = false;
  for await (const line of createInterface(messages)) {
    if (isReady) continue;
    const path = devToolsLine.exec(line)?.groups?.path;
    isReady = path !== undefined;
    console.error(path === undefined ? line : await addressLine(line, path));
  }
}
