import { serveJob } from './workshop/serve.ts';

/** The Worker that runs the tools which compute, for the front that is bound to it. */
export default {
  fetch(request, env, context) {
    const ending = serveJob(request, env);
    // When the front gives up, the runtime drops all but this: so each job gives back what it holds.
    context.waitUntil(ending);
    return ending;
  },
} satisfies ExportedHandler<Env>;
