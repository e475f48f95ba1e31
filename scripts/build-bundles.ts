// Part of `npm ci`: builds what `npm start` runs, so that it starts at once.
import { bundled } from './bundles.ts';

await Promise.all([bundled('front'), bundled('workshop')]);
