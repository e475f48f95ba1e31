import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inWorld, type Priced, type World } from './world.ts';

type Step = [name: keyof typeof steps, which: number, other: number];

const toolOf = (number: number): Priced => (number % 3 === 0 ? 'screenshot' : 'hash');
const pick = <T>(list: T[], number: number): T | undefined => list[number % (list.length || 1)];
const unfinished = ({ calls }: World) =>
  calls.filter(({ state }) => state === 'running' || state === 'asking');

const steps = {
  call: (world: World, which: number, other: number) => void world.begin(which, 0, toolOf(other)),
  callBySecondKey: (world: World, which: number, other: number) =>
    void world.begin(which, 1, toolOf(other)),
  fiveCalls: (world: World, which: number, other: number) => {
    for (let i = 0; i < 5; i++) world.begin(which, 0, toolOf(other + i));
  },
  commit: (world: World, which: number) => world.end(pick(unfinished(world), which), 'commit'),
  commitAll: (world: World) => unfinished(world).forEach((call) => world.end(call, 'commit')),
  cancel: (world: World, which: number) => world.end(pick(unfinished(world), which), 'cancel'),
  endAgain: (world: World, which: number, other: number) => {
    const over = world.calls.filter(({ state }) => state === 'over');
    world.end(pick(over, which), other % 2 ? 'commit' : 'cancel');
  },
  waitMoment: (world: World, which: number) => world.wait(pick([1, 50, 300, 720], which)!),
  waitSeconds: (world: World, which: number) => world.wait(pick([1100, 2500, 4000], which)!),
  waitLong: (world: World, which: number) => world.wait(pick([9000, 12_000, 31_000], which)!),
  cutOff: (world: World, which: number) => world.cutOff(which),
  reconnect: (world: World, which: number) => world.reconnect(which),
  deliver: (world: World, which: number) => world.deliver(pick(world.letters, which)),
  answer: (world: World, which: number) => world.answer(pick(world.letters, which)),
  lose: (world: World, which: number) => world.lose(pick(world.letters, which)),
  fail: (world: World, which: number) => world.fail(pick(world.letters, which)),
  die: (world: World, which: number) => world.die(which),
  revoke: (world: World, which: number) => world.revoke(which),
  grant: (world: World, which: number) => world.grant(1 + (which % 20)),
};

/** What happens to a service in good health: nothing is lost, nothing takes many seconds. */
const ordinary = [
  'call',
  'call',
  'callBySecondKey',
  'fiveCalls',
  'commit',
  'commitAll',
  'cancel',
].concat(['endAgain', 'waitMoment', 'waitSeconds', 'grant']) as (keyof typeof steps)[];
const disorderly = ['cutOff', 'cutOff', 'reconnect', 'deliver', 'answer'] as const;
const disastrous = ['waitLong', 'lose', 'fail', 'die', 'revoke'] as const;

const schedules = (...names: (keyof typeof steps)[]) =>
  fc.tuple(
    fc.constantFrom(6, 30, 200, 100_000),
    fc.array(fc.tuple(fc.constantFrom(...names), fc.nat(1000), fc.nat(1000)), {
      maxLength: 60,
      size: 'max',
    }),
  );

async function live(schedule: Step[], world: World) {
  for (const [name, which, other] of schedule) {
    await steps[name](world, which, other);
    await world.flush();
  }
  return world.rest();
}

describe('the laws hold', () => {
  it('whatever is late, lost or dead', async () => {
    const worlds = schedules(...ordinary, ...disorderly, ...disastrous);
    const property = fc.asyncProperty(worlds, async ([credits, schedule]) => {
      const { lent, forgiven, expired } = await inWorld(credits, (world) => live(schedule, world));
      expect(lent).toBe(0);
      expect(forgiven).toBeLessThanOrEqual(expired);
    });
    await fc.assert(property, { numRuns: 150 });
  }, 120_000);

  it('to the last credit when nothing is lost', async () => {
    const property = fc.asyncProperty(schedules(...ordinary), async ([credits, schedule]) => {
      const { lent, forgiven, heldTooLong } = await inWorld(credits, (world) =>
        live(schedule, world),
      );
      expect(lent).toBe(0);
      expect(forgiven).toBeLessThanOrEqual(heldTooLong);
    });
    await fc.assert(property, { numRuns: 100 });
  }, 120_000);
});

/** Begins a call, and says what became of it by itself. */
async function call(world: World, tool: Priced, place = 0) {
  const begun = world.begin(place, 0, tool);
  await world.flush();
  return begun;
}

async function calls(world: World, count: number, tool: Priced) {
  const begun = [];
  for (let i = 0; i < count; i++) begun.push(await call(world, tool));
  return begun;
}

const states = (begun: { state: string }[]) => begun.map(({ state }) => state);
const six = (state: string) => Array.from({ length: 6 }, () => state);

/** Calls once a second, as a client that tries again, until it succeeds. Returns the seconds. */
async function secondsUntilHeld(world: World, tool: Priced) {
  for (let seconds = 0; ; seconds++) {
    if ((await call(world, tool)).state === 'running') return seconds;
    await world.wait(1000);
  }
}

describe('the last credits', () => {
  for (const pause of [0, 1100, 2500, 15_000, 40_000, 70_000]) {
    it(`can be spent again at once when calls of ${pause} ms are cancelled`, () =>
      inWorld(30, async (world) => {
        const first = await calls(world, 6, 'screenshot');
        expect(states(first)).toEqual(six('running'));
        expect((await call(world, 'hash')).state).toBe('refused');
        await world.wait(pause);
        for (const each of first) world.end(each, 'cancel');
        expect(states(await calls(world, 6, 'screenshot'))).toEqual(six('running'));
      }));
  }

  it('can be spent again at once when the lease was just found idle', () =>
    inWorld(30, async (world) => {
      for (const each of await calls(world, 6, 'screenshot')) world.end(each, 'cancel');
      await world.wait(999);
      world.cutOff(0);
      await world.wait(1); // What is free is on its way back.
      expect(world.letters).toHaveLength(1);
      const again = world.begin(0, 0, 'screenshot');
      world.deliver(world.letters[1]);
      world.reconnect(0);
      await world.flush();
      expect(again.state).toBe('running');
    }));

  it('come together from the lease and the balance', () =>
    inWorld(7, async (world) => {
      for (const each of await calls(world, 3, 'hash')) world.end(each, 'cancel');
      expect((await call(world, 'screenshot')).state).toBe('running');
    }));

  it('come back within a minute from calls that neither pay nor give back', () =>
    inWorld(30, async (world) => {
      expect(states(await calls(world, 6, 'screenshot'))).toEqual(six('running'));
      expect(await secondsUntilHeld(world, 'screenshot')).toBeLessThanOrEqual(60);
      expect(states(await calls(world, 5, 'screenshot'))).toEqual(six('running').slice(1));
    }));

  it('come back when nobody calls, too', () =>
    inWorld(30, async (world) => {
      await calls(world, 6, 'screenshot');
      await world.wait(52_000);
      expect(world.describe()).toMatchObject({ credits: 30, lent: 0 });
    }));
});

describe('a report that is never answered', () => {
  it('keeps nobody else from the balance', () =>
    inWorld(30, async (world) => {
      world.cutOff(0);
      world.begin(0, 0, 'screenshot');
      world.deliver(world.letters[0]);
      world.lose(world.letters[0]);
      world.reconnect(0);
      expect(states(await calls(world, 5, 'screenshot'))).toEqual(six('running').slice(1));
      for (let second = 0; second < 50; second++) {
        await world.wait(1000);
        for (const each of world.calls) if (each.state === 'running') world.end(each, 'cancel');
        expect((await call(world, 'screenshot')).state).toBe('running');
      }
      for (const each of world.calls) if (each.state === 'running') world.end(each, 'cancel');
      expect(states(await calls(world, 6, 'screenshot'))).toEqual(six('running'));
    }));

  it('lets a busy isolate renew a second later', () =>
    inWorld(100_000, async (world) => {
      for (const each of await calls(world, 50, 'hash')) world.end(each, 'commit');
      await world.wait(720);
      world.cutOff(0);
      await call(world, 'hash');
      expect(world.letters).toHaveLength(1);
      world.lose(world.letters[0]);
      world.reconnect(0);
      await world.wait(1001);
      const before = world.sent();
      await calls(world, 50, 'hash');
      expect(world.sent() - before).toBeLessThan(10);
    }));
});

describe('the end of a call', () => {
  it('is the first that comes', () =>
    inWorld(30, async (world) => {
      const [paid, failed] = await calls(world, 2, 'screenshot');
      for (const how of ['commit', 'cancel', 'commit'] as const) world.end(paid, how);
      for (const how of ['cancel', 'commit', 'cancel'] as const) world.end(failed, how);
      await world.wait(2000);
      expect(world.describe()).toMatchObject({ credits: 25, lent: 0, usage: [{ credits: 5 }] });
    }));

  it('may come before its credits do', () =>
    inWorld(30, async (world) => {
      const [paid, failed] = [world.begin(0, 0, 'screenshot'), world.begin(0, 0, 'hash')];
      paid.charge.commit();
      failed.charge.cancel();
      world.committed.screenshot = 5;
      await world.flush();
      failed.charge.commit();
      await world.wait(2000);
      expect(world.describe()).toMatchObject({ credits: 25, lent: 0, usage: [{ credits: 5 }] });
    }));
});

it('keeps a revoked key revoked when an older answer comes after', () =>
  inWorld(100, async (world) => {
    await call(world, 'hash');
    await world.wait(1100);
    world.cutOff(0);
    world.begin(0, 0, 'hash');
    world.deliver(world.letters[0]);
    await world.revoke(0);
    await world.wait(900);
    const late = world.begin(0, 0, 'hash');
    world.deliver(world.letters[1]);
    world.answer(world.letters[1]);
    await world.flush();
    expect(late.state).toBe('refused');
    world.answer(world.letters[0]);
    await world.flush();
    await world.wait(150);
    expect(world.begin(0, 0, 'hash').state).not.toBe('running');
  }));
