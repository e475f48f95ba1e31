import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { metafile } from './bundles.ts';

const shape = z.object({
  outputs: z.record(
    z.string(),
    z.object({ inputs: z.record(z.string(), z.object({ bytesInOutput: z.number() })) }),
  ),
});

/** Bytes of each source file in a bundle, by its path; files of which nothing is left are not there. */
export async function sourcesIn(folder: string): Promise<Map<string, number>> {
  return sourcesOf(JSON.parse(await readFile(join(folder, metafile), 'utf8')));
}

/** The same for a metafile of esbuild. */
export function sourcesOf(metafile: unknown): Map<string, number> {
  const sources = new Map<string, number>();
  for (const { inputs } of Object.values(shape.parse(metafile).outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      if (bytesInOutput > 0) sources.set(path, (sources.get(path) ?? 0) + bytesInOutput);
    }
  }
  return sources;
}
