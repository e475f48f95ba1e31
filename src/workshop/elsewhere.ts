/**
 * Stands for every module under `#workshop/` where a front is built without them (package.json,
 * "imports"): their tools run in the workshop, and the front never calls their `run`.
 */
export const elsewhere = true;
