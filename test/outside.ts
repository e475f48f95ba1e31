import { startConverter } from '../scripts/service.ts';
import { startResolver } from './resolver/responder.ts';
import { startTextModel } from './text-model/server.ts';

/** Starts what the tests in workerd need beside it, where vitest.config.mts has told them to look. */
export default async function setup() {
  const converter = await startConverter(
    // Random text finds what pandoc is minutes about, as a thousand braces as LaTeX: soon a 422, and the test goes on.
    { CONVERTER_SECRET: 'converter', CONVERT_SECONDS: '5' },
    Number(process.env.TEST_CONVERTER_PORT),
  );
  const resolver = await startResolver(Number(process.env.TEST_RESOLVER_PORT));
  const model = await startTextModel(Number(process.env.TEST_TEXT_MODEL_PORT));
  return () => Promise.all([converter.stop(), resolver.stop(), model.stop()]);
}
