import { runHere } from '../call.ts';
import { contextOf } from '../context.ts';
import { asServiceError, clientLeft } from '../errors.ts';
import { readBody } from '../shared/body.ts';
import { parseInput } from '../shared/input.ts';
import { refusal } from '../shared/refusal.ts';
import { roomFor } from '../http/room.ts';
import { ignoredHeaders, type IgnoredFields } from '../shared/ignored-fields.ts';
import { argumentsIn, outlineOf } from '../mcp-message.ts';
import { toAnswer } from '../tools/answer.ts';
import { tools } from '../tools/index.ts';
import type { Tool } from '../tools/tool.ts';
import type { BodyKind } from '../tools/unread-body.ts';
import { holdingStorage, packParcel, parcelType } from './parcel.ts';
import { jobHeaders, outlinePath } from './protocol.ts';

const byName = new Map<string, Tool>(tools.map((tool) => [tool.name, tool]));

/**
 * Serves the jobs that `boundWorkshop` sends. `POST /<tool>/<kind of body>` reads the body, validates it and
 * runs the tool. `POST /outline` outlines an MCP message. Any other path answers `ready`, as a health check.
 */
export async function serveJob(request: Request, env: Env): Promise<Response> {
  const { pathname } = new URL(request.url);
  const [, name = '', kind] = pathname.split('/');
  const tool = byName.get(name);
  const headers = { [jobHeaders.answered]: 'true' };
  const ignored: IgnoredFields = new Map();
  try {
    if (tool) return await runTool(request, tool, kind as BodyKind, env, ignored);
    if (pathname !== outlinePath) return new Response('ready', { headers });
    return new Response(await outlineMessage(request), { headers });
  } catch (error) {
    const requestId = request.headers.get(jobHeaders.requestId) ?? undefined;
    const known = request.signal.aborted ? clientLeft() : asServiceError(error, requestId);
    const named = { ...headers, ...ignoredHeaders(ignored) };
    return Response.json(refusal(known), { status: known.status, headers: named });
  }
}

/**
 * Returns an empty outline for malformed JSON, which makes the front's MCP handler answer with a parse error.
 */
const outlineMessage = (request: Request): Promise<string> =>
  request.json().then(outlineOf, () => '');

async function runTool(
  request: Request,
  tool: Tool,
  kind: BodyKind,
  env: Env,
  ignored: IgnoredFields,
): Promise<Response> {
  const account = decodeURIComponent(request.headers.get(jobHeaders.account) ?? '') || undefined;
  const requestId = request.headers.get(jobHeaders.requestId) ?? '';
  const client = { account, requestId, signal: request.signal, ignored };
  using room = roomFor(account);
  const body = await readBody(request, tool, kind, client, room);
  const place = Number(request.headers.get(jobHeaders.place));
  const input = parseInput(tool, kind === 'message' ? argumentsIn(body, place) : body, client);
  const headers = new Headers({ [jobHeaders.answered]: 'true' });
  if (request.headers.has(jobHeaders.checkOnly)) return new Response(null, { headers });
  const storage = holdingStorage();
  const output = await runHere(tool, input, contextOf(env, undefined, client, { storage }));
  const answer = toAnswer(tool, output, request.headers.get('Content-Type'));
  const named = { ...ignoredHeaders(ignored), ...answer.headers };
  for (const [header, value] of Object.entries(named)) headers.set(header, value);
  const isParcel = storage.held.length > 0;
  headers.set('Content-Type', isParcel ? parcelType : answer.type);
  return new Response(isParcel ? packParcel(output, storage) : answer.body, { headers });
}
