import { startConverter } from '../scripts/service.ts';
import { startResolver } from './resolver/responder.ts';
import { startTextModel } from './text-model/server.ts';

/** Starts the services that the tests in workerd call, on the ports chosen by vitest.config.mts. */
export default async function setup() {
  const converter = await startConverter(
    // Pandoc needs minutes for some random texts, such as a thousand braces as LaTeX. These become a 422 after 5 s.
    { CONVERTER_SECRET: 'converter', CONVERT_SECONDS: '5' },
    Number(process.env.TEST_CONVERTER_PORT),
  );
  const resolver = await startResolver(Number(process.env.TEST_RESOLVER_PORT));
  const model = await startTextModel(Number(process.env.TEST_TEXT_MODEL_PORT));
  return () => Promise.all([converter.stop(), resolver.stop(), model.stop()]);
}
