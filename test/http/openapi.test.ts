import { expect, it } from 'vitest';
import { openApi } from '../../src/http/openapi.ts';
import { tools } from '../../src/tools/index.ts';

it('describes every tool with its price and schemas', () => {
  const { paths } = openApi('http://service');
  for (const { name, credits, upload } of tools as readonly {
    name: string;
    credits: number;
    upload?: { path: string };
  }[]) {
    for (const path of [name, ...(upload ? [upload.path] : [])]) {
      expect(paths[`/api/${path}`]).toMatchObject({
        post: { 'x-credits': credits, requestBody: { required: true } },
      });
    }
  }
});

it('says what may be left out', () => {
  const { paths, components } = openApi('http://service');
  expect(paths['/api/hash']).toMatchObject({
    post: {
      requestBody: {
        content: { 'application/json': { schema: { $ref: '#/components/schemas/HashInput' } } },
      },
    },
  });
  expect(components.schemas).toMatchObject({
    HashInput: { required: ['input'], properties: { algorithm: { default: 'sha256' } } },
  });
});
