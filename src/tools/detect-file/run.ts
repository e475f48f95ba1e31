import { tooLarge } from '../../errors.ts';
import { detectFile } from './detect.ts';
import { limit, type Input } from './index.ts';

export function run({ content }: Input) {
  if (content.length > limit) throw tooLarge('the file is larger than 10 MB');
  return detectFile(content);
}
