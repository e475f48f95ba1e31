import type { CallToolResult, Server, Tool as McpTool } from '@modelcontextprotocol/server';
import { anonymous, type Caller } from '../account/caller.ts';
import { requireCall } from '../account/rate.ts';
import { callInMessage, callWithInput } from '../call.ts';
import { contextOf, type DoorContext } from '../context.ts';
import { asServiceError, ServiceError } from '../errors.ts';
import { ignoredInWords, type IgnoredFields } from '../shared/ignored-fields.ts';
import { noted } from '../log.ts';
import { placeIn } from '../mcp-message.ts';
import { runToEnd } from '../client-disconnect.ts';
import { tools } from '../tools/index.ts';
import { schemaOf } from '../tools/schema.ts';
import { MiB, type FileAnswer, type Tool } from '../tools/tool.ts';
import { requireWellFormed } from '../shared/lone-surrogates.ts';
import { lightBodyBytes } from '../workshop/workshop.ts';
import { addressOf } from './address.ts';
import { clientOf, requestIdOf, type AppContext } from './answer.ts';
import { authenticate, authenticateIfKeyed } from './authenticate.ts';
import { discardBody, readBytes } from '../shared/body-stream.ts';
import { largestMessage } from '../shared/body.ts';
import { roomFor, type Room } from './room.ts';

/**
 * Serves the tools to AI agents by the Model Context Protocol: Streamable HTTP without sessions, of revision
 * 2026-07-28 and of the earlier revisions that begin with `initialize`. Keys, prices and errors are those of the
 * HTTP API. Without a key an agent can list the tools and call the free one.
 */
export function mcp(c: AppContext): Promise<Response> {
  const ending = answerMessage(c).catch(async (error: unknown) => {
    await discardBody(c.req.raw);
    throw error;
  });
  return runToEnd(c.executionCtx, ending);
}

async function answerMessage(c: AppContext): Promise<Response> {
  const caller = await callerOf(c);
  using room = roomFor(caller.account);
  const { createMcpHandler, Server } = await import('@modelcontextprotocol/server');
  const contextFor = (ignored: IgnoredFields) => {
    const client = { ...clientOf(c, caller), ignored };
    return contextOf(c.env, c.req.url, client, { longestAnswer });
  };
  const { request, callOf } = await readMessage(c, room, contextFor(new Map()));
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
    const ignored: IgnoredFields = new Map();
    const ending = noted(asked, async () => {
      if (isFurther) countFurther(c, caller);
      return resultOf(tool, caller, () => callOf(tool, input, caller, contextFor(ignored)));
    });
    return ending.catch(failed).then((result) => withIgnored(result, ignored));
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
  callOf(tool: Tool, input: unknown, caller: Caller, context: DoorContext): Promise<unknown>;
}

/** Identifies the caller. Also asks the account whether the key was revoked, because most messages charge nothing. */
async function callerOf(c: AppContext): Promise<Caller> {
  if (c.req.header('authorization') === undefined) return authenticateIfKeyed(c);
  const caller = await authenticate(c);
  await caller.verify();
  return caller;
}

/** Reads a message. The workshop parses a large one, and returns an outline without the arguments. */
async function readMessage(c: AppContext, room: Room, { workshop }: DoorContext): Promise<Message> {
  const { raw } = c.req;
  const bytes = await readBytes(raw, largestMessage, room);
  const isParsedHere = !workshop || bytes.length <= lightBodyBytes;
  const headers = new Headers(raw.headers);
  headers.delete('content-length');
  const body =
    raw.method === 'POST' ? (isParsedHere ? bytes : await workshop.outline(bytes)) : null;
  return {
    request: new Request(raw.url, { method: raw.method, headers, body }),
    callOf(tool, input, caller, context) {
      if (!isParsedHere) return callInMessage(tool, bytes, placeIn(input), caller, context);
      requireWellFormed(input);
      return callWithInput(tool, input, caller, context);
    },
  };
}

/** Counts the further calls of a batch, which revision 2025-03-26 allows. Throws 429. */
function countFurther(c: AppContext, { account }: Caller) {
  const [of, most] =
    account === undefined ? [addressOf(c), c.env.FREE_RATE_LIMIT] : [account, c.env.RATE_LIMIT];
  requireCall(`further calls of ${of}`, Number(most));
}

/** Most bytes of an answer. The protocol carries each answer twice, and an agent has to read it. */
const longestAnswer = 2 * MiB;

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

/** Runs a call and returns its result. Throws 401 for a tool with a price if the client has no key. */
async function resultOf(
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
      // As text too, for clients that do not support structured content.
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

/** Adds the ignored fields to a result or an error; also as text, because models read only the content. */
function withIgnored(result: CallToolResult, ignored: IgnoredFields): CallToolResult {
  if (ignored.size === 0) return result;
  const fields = ignoredInWords(ignored);
  const text = `Ignored fields: ${fields.join(', ')}`;
  return {
    ...result,
    content: [...result.content, { type: 'text', text }],
    _meta: { ...result._meta, ignored_fields: fields },
  };
}

/** Makes a result from an error that the caller can correct: models see results, but not protocol errors. */
function failed(error: unknown): CallToolResult {
  const { message, status, code, errors } = asServiceError(error);
  const _meta = { status, code, ...(errors && { errors }), credits_cost: 0 };
  return { isError: true, content: [{ type: 'text', text: message }], _meta };
}

let listed: McpTool[] | undefined;

/** The list of tools in the form of the protocol. Created on first use. */
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
