import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTextModel } from '../text-model/server.ts';
import { post } from './call.ts';
import { startOwnService } from './service.ts';

const text =
  'The council has decided to close the old bridge. Its pillars have cracks. Buses take the new bridge.';

let model: Awaited<ReturnType<typeof startTextModel>>;
const services: Awaited<ReturnType<typeof startOwnService>>[] = [];

beforeAll(async () => {
  model = await startTextModel();
  for (const behaviour of ['first', 'status~500']) {
    services.push(
      await startOwnService({
        TEXT_MODEL_URL: `${model.url}/${behaviour}/v1`,
        TEXT_MODEL_NAME: 'größe:7b',
      }),
    );
  }
});

afterAll(async () => {
  for (const service of services) await service.stop();
  await model.stop();
});

async function ask(tool: string, input: object, which: number) {
  const { key, url } = services[which]!;
  const { status, headers } = await post(tool, input, key, url);
  return {
    status,
    engine: headers.get('x-text-engine'),
    cost: headers.get('x-credits-cost'),
    remaining: Number(headers.get('x-credits-remaining')),
  };
}

describe.each([
  ['summarize', { text, style: 'tldr' }],
  ['rewrite', { text, target: 'persuasive' }],
])('%s with a model of one’s own', (tool, input) => {
  it('names it in a header, and costs five credits', async () => {
    const first = await ask(tool, input, 0);
    expect(first).toMatchObject({ status: 200, engine: 'openai:gr%C3%B6%C3%9Fe:7b', cost: '5' });
    const second = await ask(tool, input, 0);
    expect(second.remaining).toBe(first.remaining - 5);
  });

  it('costs nothing when it fails', async () => {
    const first = await ask(tool, input, 1);
    expect(first).toMatchObject({ status: 503, engine: null, cost: '0' });
    const second = await ask(tool, input, 1);
    expect(second.remaining).toBe(first.remaining);
  });
});
