// npm run notices: writes THIRD_PARTY_NOTICES.
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { notices } from './notices.ts';
import { components } from './third-party.ts';

const file = join(resolve(import.meta.dirname, '..'), 'THIRD_PARTY_NOTICES');
await writeFile(file, notices(await components()));
