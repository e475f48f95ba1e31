import pTimeout from 'p-timeout';
import type { CallToolResult, Server, Tool as McpTool } from '@modelcontextprotocol/server';
import { anonymous, type Caller } from '../account/caller.ts';
import { requireCall } from '../account/rate.ts';
import { callInMessage, callWithInput } from '../call.ts';
import { contextOf, type DoorContext } from '../context.ts';
import { asServiceError, ServiceError } from '../errors.ts';
import { noted } from '../log.ts';
import { placeIn } from '../mcp-message.ts';
import { readWithin } from '../read-within.ts';
import { tools } from '../tools/index.ts';
import { schemaOf } from '../tools/schema.ts';
import { MiB, type FileAnswer, type Tool } from '../tools/tool.ts';
import { requireWellFormed } from '../well-formed.ts';
import { lightBodyBytes } from '../workshop/workshop.ts';
import { addressOf } from './address.ts';
import { clientOf, requestIdOf, type AppContext } from './answer.ts';
import { authenticate, authenticateIfKeyed } from './authenticate.ts';
import { largestMessage } from './body.ts';
import { takeRoom } from './room.ts';

/**
 * The tools for AI agents, by the Model Context Protocol: Streamable HTTP without sessions, of revision
 * 2026-07-28 and of those before it that begin with `initialize`. The same keys, prices and errors; who
 * comes without a key may look around, and use what is free.
 */
export function mcp(c: AppContext): Promise<Response> {
  const ending = answerMessage(c);
  // When the client leaves, the runtime drops all but this: so each call gives back what it holds.
  c.executionCtx.waitUntil(ending.catch(() => {}));
  return ending;
}

async function answerMessage(c: AppContext): Promise<Response> {
  const keyed = c.req.header('authorization') !== undefined;
  const caller = await (keyed ? authenticate(c) : authenticateIfKeyed(c));
  const size = Number(c.req.header('content-length') ?? largestMessage);
  using _room = await takeRoom(Math.min(size, largestMessage));
  const { createMcpHandler, Server } = await import('@modelcontextprotocol/server');
  const context = contextOf(c.env, c.req.url, clientOf(c, caller));
  context.longestAnswer = longestAnswer;
  const { request, callOf } = await readMessage(c, size, context);
  let calls = 0;
  const run = (tool: Tool, input: unknown) => {
    const asked = {
      door: 'mcp',
      requestId: requestIdOf(c),
      tool,
      account: () => caller.account,
      isLeft: () => c.req.raw.signal.aborted,
    } as const;
    const isFurther = calls++ > 0;
    return noted(asked, async () => {
      if (isFurther) countFurther(c, caller);
      return answerOf(tool, caller, () => callOf(tool, input, caller));
    }).catch(failed);
  };
  const handler = createMcpHandler(
    () => serve(new Server(identity, { capabilities: { tools: {} }, instructions }), run),
    { responseMode: 'json', maxRequestBodySize: largestMessage },
  );
  return handler.fetch(request);
}

interface Message {
  /** What the protocol's handler gets to read. */
  request: Request;
  /** Runs a call of the message. */
  callOf(tool: Tool, input: unknown, caller: Caller): Promise<unknown>;
}

/** A large message is read in the workshop: here is only its outline, without arguments. */
async function readMessage(c: AppContext, size: number, context: DoorContext): Promise<Message> {
  const { raw } = c.req;
  const { workshop } = context;
  if (!workshop || size <= lightBodyBytes || raw.method !== 'POST') {
    return {
      request: raw,
      callOf: (tool, input, caller) => {
        requireWellFormed(input);
        return callWithInput(tool, input, caller, context);
      },
    };
  }
  const bytes = await pTimeout(readWithin(raw, largestMessage), {
    milliseconds: messageTimeoutMs,
    message: new ServiceError('request_timeout', 'the message did not arrive in time'),
  });
  if (!bytes) throw new ServiceError('payload_too_large', 'the message is larger than 15 MB');
  const headers = new Headers(raw.headers);
  headers.delete('content-length');
  const outline = await workshop.outline(bytes);
  return {
    request: new Request(raw.url, { method: 'POST', headers, body: outline }),
    callOf: (tool, input, caller) => callInMessage(tool, bytes, placeIn(input), caller, context),
  };
}

/** A message counts as one call, but by the protocol of 2025-03-26 it may have a hundred. Throws 429. */
function countFurther(c: AppContext, { account }: Caller) {
  const [of, most] =
    account === undefined ? [addressOf(c), c.env.FREE_RATE_LIMIT] : [account, c.env.RATE_LIMIT];
  requireCall(`further calls of ${of}`, Number(most));
}

/** Bytes of an answer, which the protocol has twice, and checked; and which an agent has to read. */
const longestAnswer = 2 * MiB;
/** Milliseconds in which a large message has to be there; meanwhile it takes room from others. */
const messageTimeoutMs = 30_000;

const identity = {
  name: 'developer-utilities',
  title: 'Developer Utility Service',
  version: '1.0.0',
};

const instructions = `Developer utilities, exact where a language model guesses: hashes, encodings, dates, cron expressions,
identifiers, diffs, formatted code, validated data, documents, pictures. Most calls cost one credit; each
tool says its price. A call that fails costs nothing, and its message says what to mend.`;

type Run = (tool: Tool, input: unknown) => Promise<CallToolResult>;

function serve(server: Server, run: Run): Server {
  server.setRequestHandler('tools/list', () => ({ tools: listing() }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = byName.get(params.name);
    const result = tool
      ? await run(tool, params.arguments ?? {})
      : failed(new ServiceError('not_found', `no such tool: ${params.name}`));
    return server.projectCallToolResult(result, tool && outputSchemaOf(tool));
  });
  return server;
}

const byName = new Map<string, Tool>(tools.map((tool) => [tool.name, tool]));

async function answerOf(
  tool: Tool,
  caller: Caller,
  run: () => Promise<unknown>,
): Promise<CallToolResult> {
  try {
    if (tool.credits > 0 && caller === anonymous) {
      throw new ServiceError('missing_api_key', 'missing api key');
    }
    const output = await run();
    const _meta = { credits_cost: tool.credits, credits_remaining: caller.remaining() };
    if (!tool.answersFile) {
      // Twice, as the protocol has it: for clients that know no structured content, too.
      const text = JSON.stringify(output);
      return { content: [{ type: 'text', text }], structuredContent: output as object, _meta };
    }
    const { type, body } = output as FileAnswer;
    const data = Buffer.from(body).toString('base64');
    return { content: [{ type: 'image', data, mimeType: type }], _meta };
  } catch (error) {
    await caller.verify();
    throw error;
  }
}

/** What the caller can mend is a result too: that is what a model gets to read. */
function failed(error: unknown): CallToolResult {
  const { message, status, code, errors } = asServiceError(error);
  const _meta = { status, code, ...(errors && { errors }), credits_cost: 0 };
  return { isError: true, content: [{ type: 'text', text: message }], _meta };
}

let listed: McpTool[] | undefined;

/** The catalogue as the protocol shows it; made once, when it is first asked for. */
const listing = (): McpTool[] => (listed ??= (tools as readonly Tool[]).map(entry));

function entry(tool: Tool): McpTool {
  const { name, summary, description, credits, bodyLimit = 10 * MiB, upload } = tool;
  const most = Math.min(upload?.limit ?? bodyLimit, largestMessage);
  const price = credits === 0 ? 'Free.' : `Costs ${credits} credit${credits === 1 ? '' : 's'}.`;
  const limits = `${price} Takes up to ${Math.floor(most / MiB)} MB, and at most ${tool.seconds} s.`;
  const outputSchema = outputSchemaOf(tool);
  return {
    name,
    title: summary,
    description: [summary, description, limits].filter(Boolean).join('\n\n'),
    inputSchema: schemaOf(tool.input, 'input') as McpTool['inputSchema'],
    ...(outputSchema && { outputSchema }),
    annotations: { readOnlyHint: true, destructiveHint: false },
  };
}

const outputSchemaOf = (tool: Tool) =>
  tool.answersFile ? undefined : (schemaOf(tool.output, 'output') as McpTool['outputSchema']);
