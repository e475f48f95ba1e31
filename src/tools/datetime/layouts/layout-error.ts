/** A layout of an unknown kind, or with an unknown part. The message is for the caller. */
export class LayoutError extends Error {}
