import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as worlds from './world.ts';
import { begin, end, flush, inWorld, wait, type Priced, type World } from './world.ts';

type Step = [name: keyof typeof steps, which: number, other: number];

const toolOf = (number: number): Priced => (number % 3 === 0 ? 'screenshot' : 'hash');
const pick = <T>(list: T[], number: number): T | undefined => list[number % (list.length || 1)];
const unfinished = ({ calls }: World) => calls.filter(worlds.isUnfinished);

const steps = {
  call: (world: World, which: number, other: number) => void begin(world, which, 0, toolOf(other)),
  callBySecondKey: (world: World, which: number, other: number) =>
    void begin(world, which, 1, toolOf(other)),
  fiveCalls: (world: World, which: number, other: number) => {
    for (let i = 0; i < 5; i++) begin(world, which, 0, toolOf(other + i));
  },
  commit: (world: World, which: number) => end(world, pick(unfinished(world), which), 'commit'),
  commitAll: (world: World) => unfinished(world).forEach((call) => end(world, call, 'commit')),
  cancel: (world: World, which: number) => end(world, pick(unfinished(world), which), 'cancel'),
  leave: (world: World, which: number) => worlds.leave(pick(unfinished(world), which)),
  endAgain: (world: World, which: number, other: number) => {
    const over = world.calls.filter(({ state }) => state === 'over');
    end(world, pick(over, which), other % 2 ? 'commit' : 'cancel');
  },
  /** A call whose report reaches the account after the lease has expired. */
  lateCall: async (world: World, which: number, other: number) => {
    worlds.cutOff(world, which);
    begin(world, which, 0, toolOf(other));
    await wait(world, 31_000);
    worlds.reconnect(world, which);
  },
  waitMoment: (world: World, which: number) => wait(world, pick([1, 50, 300, 720], which)!),
  waitSeconds: (world: World, which: number) => wait(world, pick([1100, 2500, 4000], which)!),
  waitLong: (world: World, which: number) => wait(world, pick([9000, 12_000, 31_000], which)!),
  cutOff: (world: World, which: number) => worlds.cutOff(world, which),
  reconnect: (world: World, which: number) => worlds.reconnect(world, which),
  deliver: (world: World, which: number) => worlds.deliver(world, pick(world.letters, which)),
  answer: (world: World, which: number) => worlds.answer(world, pick(world.letters, which)),
  lose: (world: World, which: number) => worlds.lose(world, pick(world.letters, which)),
  fail: (world: World, which: number) => worlds.fail(world, pick(world.letters, which)),
  die: (world: World, which: number) => worlds.die(world, which),
  revoke: (world: World, which: number) => worlds.revoke(world, which),
  grant: (world: World, which: number) => worlds.grant(world, 1 + (which % 20)),
};

/** The steps of a healthy service: no report is lost or late. */
const ordinary: (keyof typeof steps)[] = [
  ...(['call', 'call', 'callBySecondKey', 'fiveCalls', 'commit', 'commitAll', 'cancel'] as const),
  ...(['endAgain', 'waitMoment', 'waitSeconds', 'grant'] as const),
];
const disorderly = ['cutOff', 'cutOff', 'reconnect', 'deliver', 'answer'] as const;
const disastrous = ['waitLong', 'leave', 'lose', 'fail', 'die', 'revoke'] as const;

/** Random schedules: the account's initial credits, and the steps that follow. */
const schedules = (names: (keyof typeof steps)[], mostWhich = 1000) =>
  fc.tuple(
    fc.constantFrom(6, 30, 200, 100_000),
    fc.array(fc.tuple(fc.constantFrom(...names), fc.nat(mostWhich), fc.nat(1000)), {
      maxLength: 60,
      size: 'max',
    }),
  );

async function live(schedule: Step[], world: World) {
  for (const [name, which, other] of schedule) {
    await steps[name](world, which, other);
    await flush(world);
  }
  return worlds.rest(world);
}

describe('the invariants hold', () => {
  const settlesOrExpires = (worldsOf: ReturnType<typeof schedules>) =>
    fc.asyncProperty(worldsOf, async ([credits, schedule]) => {
      const { lent, forgiven, expired } = await inWorld(credits, (world) => live(schedule, world));
      expect(lent).toBe(0);
      expect(forgiven).toBeLessThanOrEqual(expired);
    });

  it('when reports are late or lost and isolates die', async () => {
    const any = schedules([...ordinary, ...disorderly, ...disastrous]);
    await expect(fc.assert(settlesOrExpires(any), { numRuns: 100 })).resolves.toBeUndefined();
  }, 120_000);

  it('when reports arrive after their lease has expired', async () => {
    const late = schedules(['call', 'call', 'lateCall', 'commit', 'waitSeconds'], 1);
    await expect(fc.assert(settlesOrExpires(late), { numRuns: 80 })).resolves.toBeUndefined();
  }, 120_000);

  it('and nothing is forgiven when no report is lost', async () => {
    const property = fc.asyncProperty(schedules(ordinary), async ([credits, schedule]) => {
      const end = await inWorld(credits, (world) => live(schedule, world));
      expect(end.lent).toBe(0);
      expect(end.forgiven).toBeLessThanOrEqual(end.heldTooLong);
    });
    await fc.assert(property, { numRuns: 100 });
  }, 120_000);
});

it('charges all calls of a lease that expired and was renewed', () =>
  inWorld(30, async (world) => {
    const early = await call(world, 'screenshot');
    await steps.lateCall(world, 0, 1);
    await flush(world);
    end(world, early, 'commit');
    end(world, world.calls[1], 'commit');
    expect(await worlds.rest(world)).toMatchObject({ lent: 0, forgiven: 0 });
    expect(world.account.describe()).toMatchObject({ credits: 24 });
  }));

/** Begins a call and waits until the account has answered. */
async function call(world: World, tool: Priced, place = 0) {
  const begun = begin(world, place, 0, tool);
  await flush(world);
  return begun;
}

async function calls(world: World, count: number, tool: Priced) {
  const begun = [];
  for (let i = 0; i < count; i++) begun.push(await call(world, tool));
  return begun;
}

const states = (begun: { state: string }[]) => begun.map(({ state }) => state);
const six = (state: string) => Array.from({ length: 6 }, () => state);

/** Retries a call once a second, for 100 s at most. Returns the seconds until it succeeds. */
async function secondsUntilHeld(world: World, tool: Priced): Promise<number> {
  for (let seconds = 0; seconds < 100; seconds++) {
    if ((await call(world, tool)).state === 'running') return seconds;
    await wait(world, 1000);
  }
  return Infinity;
}

describe('the last credits', () => {
  for (const pause of [0, 1100, 2500, 15_000, 40_000, 70_000]) {
    it(`can be spent again at once when calls of ${pause} ms are cancelled`, () =>
      inWorld(30, async (world) => {
        const first = await calls(world, 6, 'screenshot');
        expect(states(first)).toEqual(six('running'));
        expect((await call(world, 'hash')).state).toBe('refused');
        await wait(world, pause);
        for (const each of first) end(world, each, 'cancel');
        expect(states(await calls(world, 6, 'screenshot'))).toEqual(six('running'));
      }));
  }

  it('can be spent again at once while the keeper gives back an idle lease', () =>
    inWorld(30, async (world) => {
      for (const each of await calls(world, 6, 'screenshot')) end(world, each, 'cancel');
      await wait(world, 999);
      worlds.cutOff(world, 0);
      await wait(world, 1); // The report that gives back the free credits is under way.
      expect(world.letters).toHaveLength(1);
      const again = begin(world, 0, 0, 'screenshot');
      worlds.deliver(world, world.letters[1]);
      worlds.reconnect(world, 0);
      await flush(world);
      expect(again.state).toBe('running');
    }));

  it('are combined from the lease and the balance', () =>
    inWorld(7, async (world) => {
      for (const each of await calls(world, 3, 'hash')) end(world, each, 'cancel');
      expect((await call(world, 'screenshot')).state).toBe('running');
    }));

  it('are free within a minute when a call neither commits nor cancels', () =>
    inWorld(30, async (world) => {
      expect(states(await calls(world, 6, 'screenshot'))).toEqual(six('running'));
      expect(await secondsUntilHeld(world, 'screenshot')).toBeLessThanOrEqual(60);
      expect(states(await calls(world, 5, 'screenshot'))).toEqual(six('running').slice(1));
    }));

  it('return to the balance when no further call arrives', () =>
    inWorld(30, async (world) => {
      await calls(world, 6, 'screenshot');
      await wait(world, 52_000);
      expect(world.account.describe()).toMatchObject({ credits: 30, lent: 0 });
    }));
});

describe('a report that is never answered', () => {
  it('does not block the rest of the balance', () =>
    inWorld(30, async (world) => {
      worlds.cutOff(world, 0);
      begin(world, 0, 0, 'screenshot');
      worlds.deliver(world, world.letters[0]);
      worlds.lose(world, world.letters[0]);
      worlds.reconnect(world, 0);
      expect(states(await calls(world, 5, 'screenshot'))).toEqual(six('running').slice(1));
      for (let second = 0; second < 50; second++) {
        await wait(world, 1000);
        for (const each of world.calls) if (each.state === 'running') end(world, each, 'cancel');
        expect((await call(world, 'screenshot')).state).toBe('running');
      }
      for (const each of world.calls) if (each.state === 'running') end(world, each, 'cancel');
      expect(states(await calls(world, 6, 'screenshot'))).toEqual(six('running'));
    }));

  it('lets a busy isolate renew its lease a second later', () =>
    inWorld(100_000, async (world) => {
      for (const each of await calls(world, 50, 'hash')) end(world, each, 'commit');
      await wait(world, 720);
      worlds.cutOff(world, 0);
      await call(world, 'hash');
      expect(world.letters).toHaveLength(1);
      worlds.lose(world, world.letters[0]);
      worlds.reconnect(world, 0);
      await wait(world, 1001);
      const before = world.sent;
      await calls(world, 300, 'hash');
      expect(world.sent - before).toBeLessThan(20);
    }));
});

it('a report that was delivered but whose answer failed is charged once', () =>
  inWorld(100, async (world) => {
    for (const each of await calls(world, 3, 'screenshot')) end(world, each, 'commit');
    worlds.cutOff(world, 0);
    await wait(world, 1100);
    expect(world.letters).toMatchObject([{ report: { spent: { screenshot: { calls: 3 } } } }]);
    worlds.deliver(world, world.letters[0]);
    worlds.fail(world, world.letters[0]);
    worlds.reconnect(world, 0);
    end(world, await call(world, 'screenshot'), 'commit');
    expect(await worlds.rest(world)).toMatchObject({ lent: 0, forgiven: 0 });
    expect(world.account.describe()).toMatchObject({ credits: 80 });
  }));

it('a call that commits while its lease is being settled is charged', () =>
  inWorld(100, async (world) => {
    end(world, await call(world, 'screenshot'), 'commit');
    worlds.cutOff(world, 0);
    await wait(world, 1100);
    const meanwhile = begin(world, 0, 0, 'hash');
    worlds.deliver(world, world.letters[1]);
    worlds.answer(world, world.letters[1]);
    await flush(world);
    end(world, meanwhile, 'commit');
    await wait(world, 1100); // The lease is stale when the account answers.
    worlds.reconnect(world, 0);
    expect(await worlds.rest(world)).toMatchObject({ lent: 0, forgiven: 0 });
    expect(world.account.describe()).toMatchObject({ credits: 94 });
  }));

describe('the end of a call', () => {
  it('is the first commit or cancel', () =>
    inWorld(30, async (world) => {
      const [paid, failed] = await calls(world, 2, 'screenshot');
      for (const how of ['commit', 'cancel', 'commit'] as const) end(world, paid, how);
      for (const how of ['cancel', 'commit', 'cancel'] as const) end(world, failed, how);
      await wait(world, 2000);
      expect(world.account.describe()).toMatchObject({
        credits: 25,
        lent: 0,
        usage: [{ credits: 5 }],
      });
    }));

  it('may come before its credits are granted', () =>
    inWorld(30, async (world) => {
      const [paid, failed] = [begin(world, 0, 0, 'screenshot'), begin(world, 0, 0, 'hash')];
      paid.charge.commit();
      failed.charge.cancel();
      world.committed.screenshot = 5;
      await flush(world);
      failed.charge.commit();
      await wait(world, 2000);
      expect(world.account.describe()).toMatchObject({
        credits: 25,
        lent: 0,
        usage: [{ credits: 5 }],
      });
    }));
});

it('keeps a revoked key revoked when an older answer arrives later', () =>
  inWorld(100, async (world) => {
    worlds.cutOff(world, 0);
    const early = begin(world, 0, 0, 'hash');
    worlds.deliver(world, world.letters[0]);
    await worlds.revoke(world, 0);
    await wait(world, 900);
    const late = begin(world, 0, 0, 'hash');
    worlds.deliver(world, world.letters[1]);
    worlds.answer(world, world.letters[1]);
    await flush(world);
    expect(late.state).toBe('refused');
    worlds.answer(world, world.letters[0]);
    await flush(world);
    end(world, early, 'cancel');
    expect(begin(world, 0, 0, 'hash').state).not.toBe('running');
  }));

it('a busy lease has at most two keepers', () =>
  inWorld(100_000, async (world) => {
    for (let i = 0; i < 300; i++) {
      end(world, await call(world, 'hash'), 'commit');
      await wait(world, 400);
      expect(world.sleepers.length).toBeLessThanOrEqual(2);
    }
  }));
