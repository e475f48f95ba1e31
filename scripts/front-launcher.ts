import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endingWithParent } from './child.ts';
import { workerd } from './workerd.ts';

/**
 * Writes a shell script that Miniflare runs instead of workerd, and returns its path. The script makes
 * workerd listen on a Unix socket instead of a port for Miniflare's entry Worker, because the entry Worker
 * has development tools and serves stored files. It also makes workerd end with its parent process.
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
