/** A request's body that is passed on as it came, because an isolate could not hold it. */
export interface UnreadBody {
  /** Its Content-Type. */
  type: string;
  body: ReadableStream<Uint8Array> | string;
  /** Bytes, where the sender said. */
  length?: number;
}
