import { Hono } from 'hono';
import { cors } from 'hono/cors';
import { HTTPException } from 'hono/http-exception';
import { requestId } from 'hono/request-id';
import type { Caller } from '../account/caller.ts';
import { belongsInWorkshop, call, callForwarding, callInWorkshop } from '../call.ts';
import { contextOf } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { noted } from '../log.ts';
import { originOf } from '../origin.ts';
import { runToEnd } from '../client-disconnect.ts';
import { toAnswer } from '../tools/answer.ts';
import { tools } from '../tools/index.ts';
import { price, type Tool } from '../tools/tool.ts';
import type { BodyKind } from '../tools/unread-body.ts';
import { admin } from './admin.ts';
import {
  answerError,
  clientOf,
  lap,
  requestIdOf,
  respond,
  type AppContext,
  type Variables,
} from './answer.ts';
import { authenticate, authenticateIfKeyed } from './authenticate.ts';
import { discardBody } from '../shared/body-stream.ts';
import { bodyKindOf, bodySize, readBody, unreadBody } from '../shared/body.ts';
import { inForm } from '../shared/form.ts';
import { file } from './files.ts';
import { health } from './health.ts';
import { mcp } from './mcp.ts';
import { beginOnce } from './repeat.ts';
import { roomFor } from './room.ts';
import { securityTxt } from './security-txt.ts';

export const app = new Hono<{ Bindings: Env; Variables: Variables }>();

app.options(
  '/api/*',
  cors({ origin: '*', allowMethods: ['POST'], exposeHeaders: ['*'], maxAge: 86_400 }),
);

/** Paths of tools. No middleware is registered for them, so that Hono calls their handlers directly. */
const toolPaths = new Set<string>();
for (const tool of tools) {
  post(tool, tool.path ?? tool.name, 'json');
  if (tool.upload) post(tool, tool.upload.path, 'form');
}

app.use('/mcp', requestId(), cors({ origin: '*', exposeHeaders: ['WWW-Authenticate'] }));
app.all('/mcp', mcp);

app.use('/health', requestId());
app.use('/openapi.json', requestId());
app.use('/admin/*', requestId());
app.use('/files/*', requestId());
app.get('/', requestId(), (c) => {
  // Browsers are redirected to the docs; programs get JSON.
  if (c.req.header('accept')?.includes('text/html')) return c.redirect('/docs');
  const at = (path: string) => new URL(path, originOf(c.env, c.req.url)).href;
  return c.json({
    service: 'Developer Utility Service',
    description: 'Developer utilities over HTTP, behind API keys and credits.',
    tools: tools.map(({ name, path = name }) => `/api/${path}`),
    docs: at('/docs'),
    openapi: at('/openapi.json'),
    mcp: at('/mcp'),
    health: at('/health'),
  });
});
app.get('/health', health);
app.use('/.well-known/*', requestId());
app.get('/.well-known/security.txt', securityTxt);
app.get('/files/*', file);
app.all('/files/*', (c) => {
  throw new ServiceError('method_not_allowed', `use GET, not ${c.req.method}`, {
    allow: 'GET, HEAD',
  });
});
app.get('/openapi.json', async (c) => {
  const { openApi } = await import('./openapi.ts');
  return c.json(openApi(originOf(c.env, c.req.url)));
});
app.route('/admin', admin);
app.notFound(servePages);
app.onError(failed);

type App = typeof app;

/** Dashboard and docs. The first request that matches no other route loads them, so that an isolate starts sooner. */
let pages: App | undefined;

async function servePages(c: AppContext): Promise<Response> {
  pages ??= await loadPages();
  return pages.fetch(c.req.raw, c.env, c.executionCtx);
}

async function loadPages(): Promise<App> {
  const { dashboard } = await import('../dashboard/index.tsx');
  const { docs } = await import('../docs/index.tsx');
  const { pageAssets } = await import('../page/page.tsx');
  const loaded: App = new Hono();
  loaded.route('/dashboard', dashboard);
  loaded.route('/', pageAssets);
  loaded.route('/', docs);
  loaded.notFound(missing);
  loaded.onError(failed);
  return loaded;
}

function missing(c: AppContext): Response {
  const { method, path } = c.req;
  return answerError(
    c,
    toolPaths.has(path)
      ? new ServiceError('method_not_allowed', `use POST, not ${method}`, {
          allow: 'POST, OPTIONS',
        })
      : new ServiceError('not_found', `no such path: ${path}`),
  );
}

function failed(error: Error, c: AppContext): Response {
  if (!(error instanceof HTTPException)) return answerError(c, error);
  // Thrown by Hono's own middleware for a wrong operator secret and for malformed JSON.
  return error.status === 400
    ? answerError(c, new ServiceError('malformed_body', error.message))
    : error.getResponse();
}

/** Registers a tool at a path, and logs each call. */
function post(tool: Tool, path: string, usual: BodyKind) {
  toolPaths.add(`/api/${path}`);
  app.post(`/api/${path}`, (c) => {
    const { raw } = c.req;
    const kind = tool.upload && path === tool.name ? bodyKindOf(raw, usual) : usual;
    const asked = {
      door: 'http',
      requestId: requestIdOf(c),
      tool,
      account: () => c.get('caller')?.account,
      isRepeat: () => c.get('isRepeat') === true,
      isLeft: () => raw.signal.aborted,
    } as const;
    const ending = noted(asked, () => runSteps(c, tool, kind)).catch(async (error) => {
      await discardBody(raw);
      return answerError(c, error);
    });
    return runToEnd(c.executionCtx, ending);
  });
}

/** Runs the steps of a request in order. `using` releases what the steps reserve. */
async function runSteps(c: AppContext, tool: Tool, kind: BodyKind): Promise<Response> {
  const start = performance.now();
  const caller = await (tool.credits === price.free ? authenticateIfKeyed(c) : authenticate(c));
  lap(c, 'key', start);
  try {
    using once = await beginOnce(c, tool, caller);
    if (once.earlier) return once.earlier;
    const response = await run(c, tool, kind, caller, once.request);
    await once.keep(response);
    return response;
  } catch (error) {
    // A caller whose key was revoked gets the 401 instead of the error of the call.
    await caller.verify();
    throw kind === 'form' ? inForm(error, tool) : error;
  }
}

/** Runs the tool in this isolate, in the workshop, or, if the tool forwards its body, in the converter. */
async function run(
  c: AppContext,
  tool: Tool,
  kind: BodyKind,
  caller: Caller,
  request: Request,
): Promise<Response> {
  const start = performance.now();
  const size = bodySize(request, tool);
  const context = contextOf(c.env, c.req.url, clientOf(c, caller));
  const type = request.headers.get('content-type');
  if (tool.forward) {
    const output = await callForwarding(tool, unreadBody(request, tool, kind), caller, context);
    lap(c, 'tool', start);
    return respond(c, toAnswer(tool, output, type), tool.credits);
  }
  const { workshop } = context;
  if (workshop && belongsInWorkshop(tool, size)) {
    const job = { tool, body: unreadBody(request, tool, kind) };
    const answer = await callInWorkshop(workshop, job, caller, context);
    lap(c, 'tool', start);
    return respond(c, answer, tool.credits);
  }
  using room = roomFor(caller.account);
  const body = await readBody(request, tool, kind, context.client, room);
  const received = lap(c, 'body', start);
  const output = await call(tool, body, caller, context);
  lap(c, 'tool', received);
  return respond(c, toAnswer(tool, output, type), tool.credits);
}
