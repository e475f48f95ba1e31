/** Prints a line also if all tests pass. Vitest prints what tests write to the console only if they fail. */
export const print = (line: string): void => void process.stdout.write(`${line}\n`);
