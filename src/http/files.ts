import { create as contentDisposition } from 'content-disposition';
import parseRange from 'range-parser';
import { ServiceError } from '../errors.ts';
import { orUnavailable } from '../external-call.ts';
import { pictureTypes } from '../shared/picture-formats.ts';
import { expiryOf, judge } from '../storage/link.ts';
import { answerError, type AppContext } from './answer.ts';

/** Types that a browser may display. It downloads all other types. */
const shown = new Set<string>(pictureTypes);

/**
 * Serves the file of a signed link by GET and HEAD, with conditions and ranges (RFC 9110, sections 13 and 14). The
 * file is streamed. The headers keep a browser from guessing its type and from running it.
 */
export async function file(c: AppContext): Promise<Response> {
  const key = keyIn(c.req.path);
  const verdict = await judge(key, c.req.query('signature') ?? '', c.env.LINK_SECRET ?? '');
  if (!c.env.LINK_SECRET || verdict === 'forged') {
    throw new ServiceError('forbidden', 'this link was not made here, or was changed');
  }
  if (verdict === 'expired') throw gone();
  const { headers: asked } = c.req.raw;
  const range = asked.has('range') ? await rangeOf(c.env.FILES, key, asked) : undefined;
  if (range && 'beyond' in range) {
    const message = `the file has ${range.beyond} bytes and ends before this range begins`;
    const refusal = answerError(c, new ServiceError('range_not_satisfiable', message));
    refusal.headers.set('Content-Range', `bytes */${range.beyond}`);
    return refusal;
  }
  const options = { onlyIf: conditionsOf(asked), ...(range && { range }) };
  const object = await stored(c.env.FILES.get(key, options));
  if (!object) throw gone();
  const headers = headersOf(object);
  if (!('body' in object)) {
    const known = asked.has('if-none-match') || asked.has('if-modified-since');
    return new Response(null, { status: known ? 304 : 412, headers });
  }
  headers.set('Content-Length', String(range?.length ?? object.size));
  if (range) {
    const last = range.offset + range.length - 1;
    headers.set('Content-Range', `bytes ${range.offset}-${last}/${object.size}`);
  }
  return new Response(object.body, { status: range ? 206 : 200, headers });
}

/** Waits at most ten seconds for R2. Throws 503. */
const stored = <T>(answer: Promise<T>) =>
  orUnavailable(answer, 10_000, 'stored files cannot be reached just now');

/**
 * Returns the requested range; `{ beyond }` with the size of the file if the range begins after its end; undefined
 * where RFC 9110 requires the whole file.
 */
async function rangeOf(bucket: R2Bucket, key: string, asked: Headers) {
  const object = await stored(bucket.head(key));
  if (!object) throw gone();
  const since = asked.get('if-range');
  if (since !== null && since !== object.httpEtag) return undefined;
  const ranges = parseRange(object.size, asked.get('range')!);
  if (ranges === -1) return { beyond: object.size };
  if (ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return undefined;
  const { start, end } = ranges[0]!;
  return { offset: start, length: end - start + 1 };
}

/** A list of entity tags (RFC 9110, 8.8.3), or `*`. */
const entityTags = /^(?:\*|(?:W\/)?"[^"]*"(?:\s*,\s*(?:W\/)?"[^"]*")*)$/;

/** R2 takes conditions as headers, but ends in an error when an entity tag is malformed. */
function conditionsOf(asked: Headers): Headers {
  const conditions = new Headers();
  for (const name of ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since']) {
    const value = asked.get(name);
    if (value && (!name.endsWith('match') || entityTags.test(value.trim())))
      conditions.set(name, value);
  }
  return conditions;
}

function keyIn(path: string): string {
  try {
    return path.slice('/files/'.length).split('/').map(decodeURIComponent).join('/');
  } catch {
    return '';
  }
}

const gone = () => new ServiceError('gone', 'this link has expired; ask for the result again');

function headersOf(object: R2Object): Headers {
  const type = object.httpMetadata?.contentType ?? 'application/octet-stream';
  const left = Math.floor(expiryOf(object.key) - Date.now() / 1000);
  return new Headers({
    'Content-Type': type,
    'Content-Disposition': contentDisposition(object.key.split('/').at(-1), {
      type: shown.has(type) ? 'inline' : 'attachment',
    }),
    ETag: object.httpEtag,
    'Last-Modified': object.uploaded.toUTCString(),
    'Accept-Ranges': 'bytes',
    'Cache-Control': `private, max-age=${Math.max(left, 0)}, immutable`,
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Access-Control-Allow-Origin': '*',
  });
}
