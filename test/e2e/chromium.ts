import { spawnSync } from 'node:child_process';

/** Chromium or Chrome of this machine; undefined where the service runs the one that npm brings. */
export const chromium = ['chromium', 'google-chrome'].find(
  (name) => spawnSync(name, ['--version']).status === 0,
);
