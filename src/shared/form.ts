import type { z } from 'zod';
import { invalidInput, ServiceError } from '../errors.ts';
import type { Tool } from '../tools/tool.ts';
import { noteIgnored, noteUnknown, type IgnoredFields } from './ignored-fields.ts';
import { fieldPaths, unwrap } from './input.ts';
import { decodeUtf8, parseJson } from './json.ts';

/** Parses a form: the file, its name, and the JSON in the field `options`. */
export async function readForm(
  bytes: Uint8Array<ArrayBuffer>,
  headers: Headers,
  tool: Tool,
  ignored: IgnoredFields,
): Promise<unknown> {
  const { field, as, others } = tool.upload!;
  const form = await new Response(bytes, { headers }).formData().catch(() => {
    throw new ServiceError('malformed_body', 'the body is not a valid multipart form');
  });
  const file = form.get(field);
  if (!(file instanceof File)) throw invalidInput(field, 'is required, as a file');
  noteParts(form, tool, ignored);
  const options = form.get('options') ?? '';
  // `curl -F options=@options.json` sends a file.
  const json = typeof options === 'string' ? options : decodeUtf8(await options.bytes());
  const fields = json === '' ? {} : parseJson(json);
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
    throw invalidInput('options', 'must be a JSON object');
  }
  if (Object.hasOwn(fields, as)) noteIgnored(ignored, as, field);
  return {
    ...(Object.hasOwn(tool.input.shape, 'filename') && { filename: file.name }),
    ...(others ? grouped(fields as Record<string, unknown>, tool.input, others) : fields),
    [as]: await file.bytes(),
  };
}

/** Returns the options of a form as a tool's input, in which some of them are in an object of their own. */
function grouped(fields: Record<string, unknown>, input: z.ZodObject, group: string) {
  const { shape } = unwrap(input.shape[group] as z.ZodType) as z.ZodObject;
  const isInGroup = ([name]: [string, unknown]) => Object.hasOwn(shape, name);
  const entries = Object.entries(fields);
  const inGroup = Object.fromEntries(entries.filter(isInGroup));
  const others = Object.fromEntries(entries.filter((entry) => !isInGroup(entry)));
  return { ...others, [group]: { ...inGroup, ...(fields[group] as object | undefined) } };
}

/** Notes the parts of a form that are ignored: unknown fields, and repetitions of the file or of `options`. */
function noteParts(form: FormData, { upload, input }: Tool, ignored: IgnoredFields): void {
  const { field, as } = upload!;
  const options = () =>
    fieldPaths(input)
      .filter((path) => path !== as && path !== 'options')
      .map((path) => (path.startsWith('options.') ? path : `options.${path}`));
  const counts = new Map<string, number>();
  for (const name of form.keys()) {
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    if (name !== field && name !== 'options') {
      noteUnknown(ignored, name, '', [field, 'options'], options);
    } else if (count > 0) {
      noteIgnored(ignored, `${name}[${count}]`);
    }
  }
}

/** Returns an error about a form's input with the name of the form field instead of the input field. */
export function inForm(error: unknown, { upload }: Tool): unknown {
  if (!(error instanceof ServiceError) || !upload || !error.errors) return error;
  const { code, message, errors } = error;
  return new ServiceError(code, message.replace(`${upload.as}:`, `${upload.field}:`), {
    errors: errors.map((one) => (one.path === upload.as ? { ...one, path: upload.field } : one)),
  });
}
