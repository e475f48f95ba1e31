import { changeCase } from './case.ts';
import { convertDocument } from './convert-document/index.ts';
import { cron } from './cron/index.ts';
import { datetime } from './datetime/index.ts';
import { detectFileTool } from './detect-file/index.ts';
import { diff } from './diff/index.ts';
import { dnsLookup } from './dns-lookup.ts';
import { encode } from './encode/index.ts';
import { escape } from './escape.ts';
import { formatCode } from './format-code/index.ts';
import { generate } from './generate.ts';
import { hash } from './hash/index.ts';
import { htmlToMarkdown } from './html-to-markdown/index.ts';
import { jsonEscape } from './json-escape.ts';
import { optimizeImageTool } from './optimize-image/index.ts';
import { rewrite } from './rewrite/index.ts';
import { screenshot } from './screenshot.ts';
import { slug } from './slug.ts';
import { summarize } from './summarize/index.ts';
import type { Tool } from './tool.ts';
import { uuid } from './uuid.ts';
import { validate } from './validate/index.ts';

/** Every tool of the service, in the order in which docs list them. */
export const tools = [
  validate,
  uuid,
  encode,
  hash,
  datetime,
  cron,
  generate,
  slug,
  changeCase,
  escape,
  jsonEscape,
  diff,
  formatCode,
  htmlToMarkdown,
  summarize,
  rewrite,
  dnsLookup,
  detectFileTool,
  optimizeImageTool,
  screenshot,
  convertDocument,
] satisfies readonly Tool[];
