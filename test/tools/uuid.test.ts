import { expect, it } from 'vitest';
import { uuid } from '../../src/tools/uuid.ts';
import { refusal, run } from './run.ts';

const decode = async (value: string) => run(uuid, { action: 'decode', value });

it.each([
  ['v4', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/],
  ['v7', /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/],
  ['ulid', /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/],
] as const)('makes a thousand different %s', async (format, shape) => {
  const { values, value } = await run(uuid, { action: 'generate', format, count: 1000 });
  expect(new Set(values).size).toBe(1000);
  expect(value).toBe(values![0]);
  for (const each of values!) expect(each).toMatch(shape);
  if (format !== 'v4') expect(values!.toSorted()).toEqual(values);
});

it('makes one v4 by default', async () => {
  const answer = await run(uuid, { action: 'generate' });
  expect(answer).toEqual({ value: expect.any(String) as string, format: 'v4' });
});

it.each([
  ['00000000-0000-0000-0000-000000000000', 'nil', { version: 0, variant: 'NCS' }],
  ['ffffffff-ffff-ffff-ffff-ffffffffffff', 'max', { version: 15, variant: 'future' }],
  // RFC 9562, appendix A.
  ['C232AB00-9414-11EC-B3C8-9F6BDECED846', 'v1', { version: 1, variant: 'RFC 9562' }],
  ['5df41881-3aed-3515-88a7-2f4a814cf09e', 'v3', { version: 3, variant: 'RFC 9562' }],
  ['{919108f7-52d1-4320-9bac-f847db4148a8}', 'v4', { version: 4, variant: 'RFC 9562' }],
  ['urn:uuid:2ed6657d-e927-568b-95e1-2665a8aea6a2', 'v5', { version: 5, variant: 'RFC 9562' }],
  ['1EC9414C-232A-6B00-B3C8-9F6BDECED846', 'v6', { version: 6, variant: 'RFC 9562' }],
  [
    '017F22E2-79B0-7CC3-98C4-DC0C0C07398F',
    'v7',
    { version: 7, timestamp: '2022-02-22T19:22:22.000Z' },
  ],
  ['2489E9AD-2EE2-8E00-8EC9-32D5F69181C0', 'v8', { version: 8, variant: 'RFC 9562' }],
  ['01ARZ3NDEKTSV4RRFFQ69G5FAV', 'ulid', { is_ulid: true, timestamp: '2016-07-30T23:54:10.259Z' }],
  ['oLarz3ndektsv4rrffq69g5fav', 'ulid', { is_ulid: true, timestamp: '2016-07-30T23:54:10.259Z' }],
])('decodes %s', async (value, format, decoded) => {
  expect(await decode(value)).toMatchObject({
    value,
    format,
    decoded: { is_ulid: false, ...decoded },
  });
});

it('gives a timestamp for v7 and ULID only', async () => {
  expect((await decode('C232AB00-9414-11EC-B3C8-9F6BDECED846')).decoded).not.toHaveProperty(
    'timestamp',
  );
});

it.each([
  '',
  'x',
  '01ARZ3NDEKTSV4RRFFQ69G5FAU',
  '81ARZ3NDEKTSV4RRFFQ69G5FAV',
  '0-0-0-0-0',
  'g232ab00-9414-11ec-b3c8-9f6bdeced846',
])('refuses %j', async (value) => {
  expect(await refusal(uuid, { action: 'decode', value })).toMatchObject({
    status: 422,
    path: 'value',
  });
});

it('asks for the value to decode', async () => {
  expect(await refusal(uuid, { action: 'decode' })).toMatchObject({ status: 422, path: 'value' });
  expect((await refusal(uuid, { action: 'generate', count: 1001 })).path).toBe('count');
});
