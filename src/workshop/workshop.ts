import type { Answer } from '../tools/answer.ts';
import type { Tool } from '../tools/tool.ts';
import type { UnreadBody } from '../tools/unread-body.ts';

/** A call that the front passes to the workshop. The workshop reads the body. */
export interface Job {
  tool: Tool;
  body: UnreadBody;
  /** If set, the workshop validates the input and does not run the tool. */
  checkOnly?: boolean;
}

/** Runs tools in another isolate or process, so that long computations do not block other calls. */
export interface Workshop {
  /**
   * Runs a tool. Throws the tool's ServiceError, `timeout` when the tool exceeds its time limit, and
   * `unavailable` when its isolate or process ended or too many calls wait.
   */
  run(job: Job): Promise<Answer>;
  /** Returns the outline of an MCP message (mcp-message.ts). Throws the same errors as `run`. */
  outline(message: Uint8Array<ArrayBuffer>): Promise<string>;
}

/**
 * Largest body in bytes for which a tool with `runsIn: 'front'` runs in the front. Calls with a larger body
 * run in the workshop.
 */
export const lightBodyBytes = 128 * 1024;

/** Milliseconds that a call may wait in the queue of the workshop. */
export const queueTimeoutMs = 30_000;
