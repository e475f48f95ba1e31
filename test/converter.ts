import { startConverter } from '../scripts/service.ts';

/** Starts a converter for the tests in workerd, where vitest.config.mts has told them to look. */
export default async function setup() {
  const port = Number(process.env.TEST_CONVERTER_PORT);
  const { stop } = await startConverter({ CONVERTER_SECRET: 'converter' }, port);
  return stop;
}
