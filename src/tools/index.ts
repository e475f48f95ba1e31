import { encode } from './encode/index.ts';
import { hash } from './hash/index.ts';
import type { Tool } from './tool.ts';

/** Every tool of the service, in the order in which docs list them. */
export const tools = [encode, hash] satisfies readonly Tool[];
