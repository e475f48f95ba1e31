import { invalidInput } from '../../errors.ts';
import { convert } from './convert.ts';
import type { Input } from './index.ts';

export function run({ html, options }: Input) {
  const { base_url: base } = options;
  if (base !== undefined && !URL.canParse(base)) {
    throw invalidInput('options.base_url', 'must be an absolute URL');
  }
  if (!options.include_links && options.links !== undefined && options.links !== 'none') {
    throw invalidInput('options.links', 'must be none, or absent, if include_links is false');
  }
  return convert(html, options);
}
