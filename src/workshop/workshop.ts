import type { Answer } from '../tools/answer.ts';
import type { Tool } from '../tools/tool.ts';
import type { UnreadBody } from '../tools/unread-body.ts';

/** A call as the front hands it on: its body is read where the tool runs. */
export interface Job {
  tool: Tool;
  body: UnreadBody;
  /** Whether the input is only to be checked against the schema. */
  checkOnly?: boolean;
}

/** Runs tools in another isolate or process, where their computing holds nobody up. */
export interface Workshop {
  /**
   * Throws the tool's ServiceError, `timeout` when it did not finish within its time limit, and
   * `unavailable` when the isolate or process ended, or too many calls wait.
   */
  run(job: Job): Promise<Answer>;
  /** The outline of an MCP message (mcp-message.ts). Throws as `run` does. */
  outline(message: Uint8Array<ArrayBuffer>): Promise<string>;
}

/**
 * Bytes of a body up to which a tool with `runsIn: 'front'` runs in the front. A larger body goes
 * to the workshop, whatever the tool.
 */
export const lightBodyBytes = 128 * 1024;

/** Milliseconds that a call may wait for its turn in the workshop. */
export const queueTimeoutMs = 30_000;
