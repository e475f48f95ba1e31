import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { marked, type Tokens } from 'marked';
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

/** Anchors that GitHub makes of the headings of a Markdown file. */
function anchorsOf(file: string): string[] {
  return marked
    .lexer(readFileSync(file, 'utf8'))
    .filter((token) => token.type === 'heading')
    .map((heading) =>
      (heading as Tokens.Heading).text
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    );
}

describe('every link of a Markdown file to a file of this repository', () => {
  it.each(pages)('leads somewhere: %s', (page) => {
    const dead: string[] = [];
    marked.walkTokens(marked.lexer(readFileSync(page, 'utf8')), (token) => {
      if (token.type !== 'link' && token.type !== 'image') return;
      if (/^[a-z]+:/.test(token.href as string)) return;
      const [path = '', anchor] = decodeURI(token.href as string).split('#');
      const target = path ? join(dirname(page), path) : page;
      if (!existsSync(target) || (anchor && !anchorsOf(target).includes(anchor))) {
        dead.push(token.href as string);
      }
    });
    expect(dead).toEqual([]);
  });
});
