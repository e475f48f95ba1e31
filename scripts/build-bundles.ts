// Runs in `npm ci`: builds the bundles of `npm start` in advance, so that the service starts without a build.
import { bundled } from './bundles.ts';

await Promise.all([bundled('front'), bundled('workshop')]);
