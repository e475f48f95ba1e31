import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endingWithParent } from './child.ts';
import { workerd } from './workerd.ts';

/**
 * Writes a program that Miniflare runs in place of workerd, and returns its path. It puts the entry of
 * Miniflare's own Worker, which has tools for development and gives out stored files, at a Unix socket
 * instead of a port, and workerd ends with whoever started it.
 */
export function writeLauncher(folder: string, entrySocket: string): string {
  const path = join(folder, 'workerd');
  writeFileSync(path, launcher(endingWithParent([workerd()]), entrySocket), { mode: 0o700 });
  return path;
}

const launcher = (command: string[], entrySocket: string) => `#!/bin/sh
for each in "$@"; do
  shift
  case "$each" in
    --socket-addr=entry=*) each=--socket-addr=entry=unix:${quoted(entrySocket)} ;;
  esac
  set -- "$@" "$each"
done
rm -f ${quoted(entrySocket)}
exec ${command.map(quoted).join(' ')} "$@"
`;

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
