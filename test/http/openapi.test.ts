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
  const { paths } = openApi('http://service') as unknown as {
    paths: Record<
      string,
      {
        post: {
          requestBody: {
            content: Record<
              string,
              { schema: { required: string[]; properties: Record<string, { default?: unknown }> } }
            >;
          };
        };
      }
    >;
  };
  const { schema } = paths['/api/hash']!.post.requestBody.content['application/json']!;
  expect(schema.required).toEqual(['input']);
  expect(schema.properties.algorithm!.default).toBe('sha256');
});
