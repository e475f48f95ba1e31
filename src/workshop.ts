import { runToEnd } from './run-to-end.ts';
import { serveJob } from './workshop/serve.ts';

/** The Worker that runs the tools which compute, for the front that is bound to it. */
export default {
  fetch: (request, env, context) => runToEnd(context, serveJob(request, env)),
} satisfies ExportedHandler<Env>;
