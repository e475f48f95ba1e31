import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sentencesOf } from '../src/text/segment.ts';

/** A text with one or more summaries that people wrote. */
export interface Document {
  text: string;
  references: string[];
}

const folder = '.wrangler/corpora';

/**
 * Returns public texts with summaries. They are fetched from GitHub once, as their licences forbid copies here.
 */
export function corpora(): Record<string, Document[]> {
  return { news: news(), papers: papers(), meetings: meetings(), abstracts: abstracts() };
}

/** Fetches some files of a GitHub repository. Returns the path of the folder. */
function repository(name: string, files: string): string {
  const path = join(folder, name.replace('/', '+'));
  if (existsSync(path)) return path;
  const half = `${path}.half`;
  rmSync(half, { recursive: true, force: true });
  const clone = ['clone', '--quiet', '--depth=1', '--filter=blob:none', '--no-checkout'];
  git([...clone, `https://github.com/${name}`, half]);
  git(['-C', half, 'checkout', '--quiet', 'HEAD', '--', `:(glob)${files}`]);
  renameSync(half, path);
  return path;
}

function git(args: string[]): void {
  if (spawnSync('git', args, { stdio: 'inherit' }).status !== 0) {
    throw new Error(`cannot fetch the texts: git ${args.join(' ')}`);
  }
}

const linesOf = (path: string) => readFileSync(path, 'utf8').split('\n').filter(Boolean);

/** A hundred articles of CNN and the Daily Mail with their highlights (REALSumm, Bhandari et al. 2020). */
function news(): Document[] {
  const files = 'selected_docs_for_human_eval/abs/ptr_generator';
  const at = join(repository('neulab/REALSumm', `${files}/*`), files);
  const references = linesOf(join(at, 'ref.txt'));
  return linesOf(join(at, 'src.txt')).map((source, index) => ({
    text: written(source.replace(/<\/?t>/g, '')),
    references: [
      references[index]!.split(/<\/?t>/)
        .map(written)
        .filter(Boolean)
        // Some highlights are joined without a space.
        .flatMap((each) => each.split(/(?<=[a-z\d'"]\.)(?=[a-z'"])/))
        .join('\n'),
    ],
  }));
}

/** Meetings of developers, students and committees with their minutes (QMSum, Zhong et al. 2021). */
function meetings(): Document[] {
  const at = repository('Yale-LILY/QMSum', 'data/ALL/jsonl/*[!n].jsonl');
  return ['val', 'test'].flatMap((split) =>
    linesOf(join(at, `data/ALL/jsonl/${split}.jsonl`)).map((line) => {
      const meeting = JSON.parse(line) as {
        meeting_transcripts: { speaker: string; content: string }[];
        general_query_list: { answer: string }[];
      };
      const turns = meeting.meeting_transcripts.map(
        ({ speaker, content }) => `${speaker}: ${content.replace(/\{[a-z]+\} ?/g, '')}`,
      );
      return {
        text: written(turns.join('\n')),
        references: [meeting.general_query_list[0]!.answer],
      };
    }),
  );
}

/** Abstracts of papers with summaries of one sentence (SciTLDR, Cachola et al. 2020). */
function abstracts(): Document[] {
  const file = 'SciTLDR-Data/SciTLDR-A/test.jsonl';
  return linesOf(join(repository('allenai/scitldr', file), file)).map((line) => {
    const { source, target } = JSON.parse(line) as { source: string[]; target: string[] };
    return { text: source.join(' '), references: target };
  });
}

/** Papers of computational linguistics without their abstracts, which are the summaries (SciSumm 2014). */
function papers(): Document[] {
  const at = join(repository('nicolasdugue/scisumm-corpus', 'data/**/*_XML/*.xml'), 'data');
  const files = readdirSync(at, { recursive: true, encoding: 'utf8' });
  const found = new Map<string, Document>();
  for (const path of files.filter((each) => /_XML\/.*\.xml$/.test(each))) {
    const xml = readFileSync(join(at, path), 'utf8');
    const abstract = plain(/<ABSTRACT>([\s\S]*?)<\/ABSTRACT>/.exec(xml)?.[1] ?? '');
    const sections = [...xml.matchAll(/<SECTION[^>]*>([\s\S]*?)<\/SECTION>/g)];
    const text = sections.map(([, section]) => plain(section!)).join('\n\n');
    const enough = abstract.split(' ').length > 40 && text.split(' ').length > 1000;
    if (enough) found.set(path.split('/').at(-1)!, { text, references: [abstract] });
  }
  return [...found.values()];
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const plain = (xml: string) =>
  xml
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(\w+);/g, (entity, name: string) => entities[name] ?? entity)
    .replace(/\s+/g, ' ')
    .trim();

/** Restores normal spacing and quotation marks in tokenized text such as `( cnn ) he said , `` no '' .` */
const written = (tokens: string) =>
  tokens
    .replace(/`` /g, '"')
    .replace(/ ''/g, '"')
    .replaceAll('-lrb- ', '(')
    .replaceAll(' -rrb-', ')')
    .replace(/\( /g, '(')
    .replace(/ ([.,;:!?%)])/g, '$1')
    .replace(/ (n't|'(?:s|re|ve|ll|d|m))\b/g, '$1')
    .trim();

/** Returns the first sentences of a text, the usual baseline of summarization. */
export const lead = (text: string, sentences: number) => sentencesOf(text).slice(0, sentences);
