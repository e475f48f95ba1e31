/** Whether a name is an IANA time zone that this runtime knows; a bare offset is none. */
export function isTimeZone(name: string): boolean {
  try {
    return !/^[+-]/.test(name) && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}
