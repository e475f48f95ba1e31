import { expect, it } from 'vitest';
import type { Storage } from '../../src/storage/storage.ts';
import { holdingStorage, openParcel, packParcel } from '../../src/workshop/parcel.ts';

function storing() {
  const stored: { name: string; type: string; text: string }[] = [];
  const storage: Storage = {
    async put({ name, type, body }) {
      stored.push({ name, type, text: await new Response(body as BodyInit).text() });
      return { url: `https://example/${name}`, expires_at: '2026-11-22T00:00:00.000Z' };
    },
  };
  return { storage, stored };
}

it('transfers an output with its files, and replaces the placeholders by links', async () => {
  const held = holdingStorage();
  const encode = (text: string) => new TextEncoder().encode(text);
  const first = await held.put({ name: 'a.txt', type: 'text/plain', body: encode('one') });
  const second = await held.put({ name: 'ü.bin', type: 'x/y', body: encode('') });
  const output = { ...first, more: [second.url], same: 'text', count: 1, nothing: null };
  const { storage, stored } = storing();
  const json = await openParcel(packParcel(output, held), storage);
  expect(JSON.parse(json)).toEqual({
    url: 'https://example/a.txt',
    expires_at: '2026-11-22T00:00:00.000Z',
    more: ['https://example/ü.bin'],
    same: 'text',
    count: 1,
    nothing: null,
  });
  expect(stored).toEqual([
    { name: 'a.txt', type: 'text/plain', text: 'one' },
    { name: 'ü.bin', type: 'x/y', text: '' },
  ]);
});

it('fails when the parcel is truncated', async () => {
  const held = holdingStorage();
  await held.put({ name: 'a', type: 'x/y', body: new Uint8Array(5000) });
  const whole = await new Response(packParcel({}, held)).bytes();
  const { storage } = storing();
  const cut = new Response(whole.slice(0, 2000)).body!;
  await expect(openParcel(cut, storage)).rejects.toThrow(/trunc|ends/i);
});

it('fails when the storage fails', async () => {
  const held = holdingStorage();
  await held.put({ name: 'a', type: 'x/y', body: new Uint8Array(5) });
  const put = () => Promise.reject(new Error('no storage'));
  await expect(openParcel(packParcel({}, held), { put })).rejects.toThrow('no storage');
});
