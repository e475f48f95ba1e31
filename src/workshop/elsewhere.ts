/**
 * Replaces every module under `#workshop/` in a front that is built without them (package.json, "imports").
 * The tools that use these modules run in the workshop, so the front never calls their `run`.
 */
export const elsewhere = true;
