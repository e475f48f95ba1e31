// Are the summaries of the offline engine better than the beginning of the text (the lead)? ROUGE scores (Lin
// 2004) of both, compared with summaries that people wrote. The lead has three sentences for news, else as many
// words as the summary. Also the time for a long text, compared with segmenting its words and sentences alone.
import { l, n } from 'js-rouge';
import { offlineEngine } from '../src/text-model/offline/engine.ts';
import { countWords, sentencesOf, wordsOf } from '../src/text/segment.ts';
import { usual } from '../src/tools/summarize/usual.ts';
import { corpora, lead } from './corpora.ts';
import { compared } from './compare.ts';
import { timed } from './load.ts';

const tokenizer = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
const scores = (sentences: string[], reference: string) => {
  const text = sentences.join('\n');
  if (tokenizer(text).length === 0) return [0, 0, 0];
  const options = { tokenizer };
  const segmenter = (whole: string) =>
    whole.split('\n').filter((each) => tokenizer(each).length > 0);
  return [
    n(text, reference, { ...options, n: 1 }),
    n(text, reference, { ...options, n: 2 }),
    l(text, reference, { ...options, segmenter }),
  ];
};

/** Returns the best score over several references. */
const best = (sentences: string[], references: string[]) =>
  references
    .map((reference) => scores(sentences, sentencesOf(reference).join('\n')))
    .reduce((a, b) => (b[0]! > a[0]! ? b : a));

const mean = (rows: number[][]) =>
  rows[0]!.map((_, column) => rows.reduce((sum, row) => sum + row[column]!, 0) / rows.length);
const shown = (row: number[]) => row.map((value) => (100 * value).toFixed(1)).join(' / ');

const all = corpora();
for (const [name, documents] of Object.entries(all)) {
  const ours: number[][] = [];
  const leads: number[][] = [];
  for (const { text, references } of documents) {
    const about = usual(countWords(text), 'paragraph');
    const chosen = await offlineEngine.summarize({
      text,
      style: 'paragraph',
      about,
      most: Infinity,
    });
    ours.push(best(chosen, references));
    const words = countWords(chosen.join(' '));
    leads.push(best(name === 'news' ? lead(text, 3) : leadOf(text, words), references));
  }
  const [mine, first] = [mean(ours), mean(leads)];
  compared({
    what: `summaries of ${documents.length} ${name}`,
    unit: 'ROUGE-1',
    ours: [100 * mine[0]!],
    peer: 'what comes first',
    theirs: [100 * first[0]!],
    wanted: name === 'news' ? '1 or more' : 'more than 1',
  });
  console.log(`  ROUGE-1 / 2 / L ${shown(mine)}, what comes first ${shown(first)}`);
}

/** Returns the beginning of a text up to a number of words. */
function leadOf(text: string, words: number): string[] {
  const taken: string[] = [];
  for (const sentence of sentencesOf(text)) {
    if (countWords(taken.join(' ')) >= words * 0.9) break;
    taken.push(sentence);
  }
  return taken;
}

const long = all
  .papers!.map(({ text }) => text)
  .join('\n\n')
  .slice(0, 100_000);
const times: number[] = [];
const floor: number[] = [];
for (let run = 0; run < 15; run++) {
  const order = { text: long, style: 'paragraph', about: 200, most: Infinity } as const;
  times.push(await timed(() => offlineEngine.summarize(order)));
  floor.push(await timed(() => sentencesOf(long).map(wordsOf)));
}
compared({
  what: 'a summary of 100 kB',
  unit: 'ms',
  ours: times,
  peer: 'Intl.Segmenter alone',
  theirs: floor,
  wanted: 'none; ours 300 ms or less',
});
