/** A syntax error in code, with its line and column from 1 where they are known. */
export class CodeError extends Error {
  readonly place: readonly [line: number, column: number] | undefined;

  constructor(message: string, place?: readonly [line: number, column: number]) {
    super(message);
    this.place = place;
  }
}
