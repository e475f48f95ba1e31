import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { marked } from 'marked';
import { describe, expect, it } from 'vitest';

const pages = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'],
  {
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter((page) => page && page !== 'test/container/report.md'); // a document to convert

describe('every link of a Markdown file to a file of this repository', () => {
  it.each(pages)('leads somewhere: %s', (page) => {
    const dead: string[] = [];
    marked.walkTokens(marked.lexer(readFileSync(page, 'utf8')), (token) => {
      if (token.type !== 'link' && token.type !== 'image') return;
      const path = decodeURI((token.href as string).split('#')[0]!);
      if (path && !/^[a-z]+:/.test(path) && !existsSync(join(dirname(page), path))) dead.push(path);
    });
    expect(dead).toEqual([]);
  });
});
