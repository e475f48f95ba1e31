import { expect, it } from 'vitest';
import { openPlaces } from '../../scripts/workshop-places.ts';
import type { WorkshopProcess } from '../../scripts/workshop-process.ts';

it('ends the started processes when one does not start', async () => {
  const ended: number[] = [];
  let started = 0;
  const start = async (stopping: AbortSignal): Promise<WorkshopProcess> => {
    const pid = (started += 1);
    if (pid === 2) throw new Error('no second one');
    const ending = new Promise<void>((resolve) => {
      stopping.addEventListener('abort', () => {
        ended.push(pid);
        resolve();
      });
    });
    return { pid, ended: ending } as WorkshopProcess;
  };
  const opening = openPlaces({ count: 3, start, offer: () => {} });
  await expect(opening).rejects.toThrow('no second one');
  expect(ended).toEqual([1, 3]);
});
