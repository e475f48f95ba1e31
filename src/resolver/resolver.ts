/** The supported record types. */
export const recordTypes = ['A', 'AAAA', 'MX', 'NS', 'TXT', 'CNAME'] as const;
export type RecordType = (typeof recordTypes)[number];

export interface DnsRecord {
  /** An address, a name without its last dot, or a text. */
  value: string;
  /** The preference of an MX record; the lowest is tried first (RFC 5321, 5.1). */
  priority?: number;
}

/** Resolves domain names. */
export interface Resolver {
  /**
   * Returns the records of one type, after following CNAMEs; an empty list for a name that does not exist.
   * Throws ServiceError `unavailable` when the resolver gives no answer, and `resolution_failed` when it
   * answers with an error such as SERVFAIL.
   *
   * @param name in A-labels, with or without its trailing dot
   */
  resolve(name: string, type: RecordType): Promise<DnsRecord[]>;
}
