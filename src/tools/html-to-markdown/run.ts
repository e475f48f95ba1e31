import { invalidInput } from '../../errors.ts';
import { convert } from './convert.ts';
import type { Input } from './index.ts';

export function run({ html, options }: Input) {
  const { base_url: base } = options;
  if (base !== undefined && !URL.canParse(base)) {
    throw invalidInput('options.base_url', 'must be an absolute URL');
  }
  return convert(html, options);
}
