import { runToEnd } from './client-disconnect.ts';
import { serveJob } from './workshop/serve.ts';

/** The workshop Worker: runs tools that compute for the front, which calls it by a service binding. */
export default {
  fetch: (request, env, context) => runToEnd(context, serveJob(request, env)),
} satisfies ExportedHandler<Env>;
