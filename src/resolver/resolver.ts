/** Types of records that can be asked for. */
export const recordTypes = ['A', 'AAAA', 'MX', 'NS', 'TXT', 'CNAME'] as const;
export type RecordType = (typeof recordTypes)[number];

export interface DnsRecord {
  /** An address, a name without its last dot, or a text. */
  value: string;
  /** Of MX records; the lowest is tried first (RFC 5321, 5.1). */
  priority?: number;
}

/** Asks the Domain Name System. */
export interface Resolver {
  /**
   * The records of one type that a name has, found through its aliases; none when there is no such
   * name. Throws ServiceError `unavailable` when the system gives no answer.
   *
   * @param name in A-labels, with or without its last dot
   */
  resolve(name: string, type: RecordType): Promise<DnsRecord[]>;
}
