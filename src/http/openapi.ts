import { pascalCase } from 'change-case';
import { z } from 'zod';
import { tools } from '../tools/index.ts';
import { unwrap } from '../shared/input.ts';
import { schemaOf } from '../tools/schema.ts';
import { price, type Tool } from '../tools/tool.ts';
import { statusOf } from '../errors.ts';

/** Error statuses that every tool may respond with. */
const failures = {
  400: 'The body is not valid JSON or not a valid form, or a parameter that the tool answers with 400 for.',
  401: 'The API key is missing or invalid.',
  402: 'The account has too few credits.',
  408: 'The body did not arrive in time.',
  413: 'The body is larger than this tool takes.',
  415: 'The Content-Type is not one that this tool takes.',
  422: 'The input cannot be used; `errors` names each field and what is wrong with it.',
  429: 'Too many calls; `Retry-After` says when to come back.',
  500: 'A fault on our side, or a page that did not open in time; nothing was charged.',
  503: 'Something that the tool needs cannot be reached, or the call did not end within its time limit (`timeout`); nothing was charged.',
};

/** Returns the OpenAPI 3.1 description of all tools. @param origin scheme and host of the service */
export function openApi(origin: string) {
  const paths: Record<string, unknown> = {};
  for (const tool of tools) {
    const { path = tool.name } = tool;
    paths[`/api/${path}`] = { post: operation(tool, path, jsonBody(tool)) };
    if (tool.upload) {
      paths[`/api/${tool.upload.path}`] = {
        post: operation(tool, tool.upload.path, formBody(tool)),
      };
    }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Developer Utility Service',
      version: '1.0.0',
      description: 'Developer utilities over HTTP, behind API keys and credits.',
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: origin }],
    security: [{ apiKey: [] }],
    tags: tools.map(({ name, summary }) => ({ name, description: summary })),
    paths,
    components: {
      securitySchemes,
      schemas: Object.assign({ Error: errorSchema }, ...tools.map(schemasOf)),
      responses: errorResponses(),
    },
  };
}

/** Named schemas, because generators take the names of their classes from them. */
function schemasOf(tool: Tool): Record<string, unknown> {
  return {
    [nameOf(tool, 'Input')]: schemaOf(tool.input, 'input'),
    ...(!tool.answersFile && { [nameOf(tool, 'Output')]: schemaOf(tool.output, 'output') }),
    ...(tool.upload && { [nameOf(tool, 'Form')]: formSchema(tool) }),
  };
}

/** Such as `HtmlToMarkdownInput`. */
function nameOf({ name }: Tool, part: 'Input' | 'Output' | 'Form'): string {
  return pascalCase(name) + part;
}

const schemaNamed = (tool: Tool, part: 'Input' | 'Output' | 'Form') => ({
  $ref: `#/components/schemas/${nameOf(tool, part)}`,
});

function operation(tool: Tool, path: string, requestBody: unknown) {
  return {
    operationId: path.replace(/[-/](\w)/g, (_, letter: string) => letter.toUpperCase()),
    summary: tool.summary,
    ...(tool.description && { description: tool.description }),
    tags: [tool.name],
    'x-credits': tool.credits,
    'x-time-limit-seconds': tool.seconds,
    ...(tool.credits === price.free && { security: [{}, { apiKey: [] }] }),
    ...(tool.credits > price.free && { parameters: [idempotencyKey] }),
    requestBody,
    responses: {
      200: {
        description: 'The result.',
        headers: answerHeaders(tool),
        content: answerContent(tool),
      },
      ...Object.fromEntries(
        Object.keys(failures).map((status) => [
          status,
          { $ref: `#/components/responses/${status}` },
        ]),
      ),
    },
  };
}

/** Adds `format` from OpenAPI 3.0, which generators rely on. */
const bytes = { type: 'string', contentMediaType: 'application/octet-stream', format: 'binary' };

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A name of your choosing for this call. Whoever repeats it within 24 hours gets the same answer, and pays nothing; with another body it is a 422.',
  schema: { type: 'string', maxLength: 255 },
};

const commonHeaders = {
  'X-Credits-Cost': { description: 'Credits charged for this call.', schema: { type: 'integer' } },
  'X-Credits-Remaining': { description: 'Credits left.', schema: { type: 'integer' } },
  'X-Request-Id': { description: 'Names this call.', schema: { type: 'string' } },
  'X-Ignored-Fields': {
    description: 'Fields of the input that were ignored; absent if there are none.',
    schema: { type: 'string' },
    example: 'algoritm, colour',
  },
  'X-Did-You-Mean': {
    description: 'For ignored fields: the field of this tool that may be meant.',
    schema: { type: 'string' },
    example: 'algoritm=algorithm',
  },
};

function answerHeaders({ headers = {}, output }: Tool) {
  const own = Object.entries(headers).map(([name, field]) => {
    const { description } = (output as z.ZodObject).shape[field] as z.ZodType;
    return [name, { description, schema: { type: 'string' } }];
  });
  return { ...commonHeaders, ...Object.fromEntries(own) };
}

function answerContent(tool: Tool) {
  if (tool.answersFile) {
    return Object.fromEntries(tool.answersFile.map((type) => [type, { schema: bytes }]));
  }
  return {
    'application/json': { schema: schemaNamed(tool, 'Output') },
    ...(tool.plainText && { 'text/plain': { schema: { type: 'string' } } }),
  };
}

function jsonBody(tool: Tool) {
  const examples = Object.fromEntries(
    tool.examples.map(({ title, input }) => [title, { value: input }]),
  );
  return {
    required: true,
    content: {
      'application/json': { schema: schemaNamed(tool, 'Input'), examples },
      ...(tool.plainText && { 'text/plain': { schema: { type: 'string' } } }),
    },
  };
}

function formBody(tool: Tool) {
  const options = Object.keys(besideFile(tool)).length > 0;
  const encoding = options && { encoding: { options: { contentType: 'application/json' } } };
  const content = { schema: schemaNamed(tool, 'Form'), ...encoding };
  return { required: true, content: { 'multipart/form-data': content } };
}

function formSchema(tool: Tool) {
  const { field } = tool.upload!;
  const others = besideFile(tool);
  return {
    type: 'object',
    required: [field],
    properties: {
      [field]: bytes,
      ...(Object.keys(others).length > 0 && { options: schemaOf(z.object(others), 'input') }),
    },
  };
}

/** Returns the schema of a form's `options`. */
function besideFile({ upload, input }: Tool) {
  const { as, others: group = '' } = upload!;
  const { [as]: _file, [group]: grouped, ...own } = input.shape;
  return { ...own, ...(grouped && (unwrap(grouped) as z.ZodObject).shape) };
}

const securitySchemes = {
  apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `sk_svc_…`.' },
};

const errorSchema = {
  type: 'object',
  required: ['message'],
  properties: {
    message: { type: 'string', description: 'What is wrong and how to mend it.' },
    code: {
      type: 'string',
      enum: Object.keys(statusOf),
      description: 'A stable name to match on. The two 401 answers have only a message.',
    },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: { path: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
};

function errorResponses() {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  return Object.fromEntries(
    Object.entries(failures).map(([status, description]) => [status, { description, content }]),
  );
}
