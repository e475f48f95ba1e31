import { readdirSync, readFileSync } from 'node:fs';

export interface Process {
  pid: number;
  args: string[];
  /** As it was when the program began: `NAME=value`. */
  environment: string[];
}

/** All processes that a process has started, and those that these have started (Linux). */
export function descendantsOf(pid: number): Process[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const parents = new Map(all.map((each) => [Number(each), parentOf(Number(each))]));
  const isDescendant = (each: number): boolean => {
    const parent = parents.get(each);
    return parent !== undefined && (parent === pid || isDescendant(parent));
  };
  return [...parents.keys()].filter(isDescendant).map((each) => ({
    pid: each,
    args: listIn(`/proc/${each}/cmdline`),
    environment: listIn(`/proc/${each}/environ`),
  }));
}

/** Whether a process runs; one that has ended may wait for its parent to take notice. */
export function isAlive({ pid }: Process): boolean {
  const state = /\) (\S)/.exec(read(`/proc/${pid}/stat`))?.[1];
  return state !== undefined && state !== 'Z';
}

/** Processor time that a process has taken: utime and stime, in hundredths of a second (proc_pid_stat(5)). */
export function cpuMs(pid: number): number {
  const fields = read(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * 10;
}

const parentOf = (pid: number): number | undefined => {
  const parent = /\) \S (\d+)/.exec(read(`/proc/${pid}/stat`))?.[1];
  return parent === undefined ? undefined : Number(parent);
};

const listIn = (path: string) => read(path).split('\0').filter(Boolean);

/** Empty for a process that has just ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
