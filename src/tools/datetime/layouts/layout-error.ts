/** A layout that is of no known kind, or has a part that is not known, in words for the caller. */
export class LayoutError extends Error {}
