import { expect, test } from 'vitest';
import { createServerClock } from './server-clock';

const startMs = 1_700_000_000_000;
const hourMs = 3_600_000;

/** A server, and a browser whose clock is `aheadMs` ahead. Time passes only on demand. */
function worldOf(aheadMs: number, { steadySleeps = false } = {}) {
  let server = startMs;
  let wall = startMs + aheadMs;
  let steady = 5_000;
  const clock = createServerClock({ now: () => wall, steady: () => steady });
  const pass = (ms: number) => {
    server += ms;
    wall += ms;
    steady += ms;
  };
  return {
    clock,
    pass,
    server: () => server,
    /** A ping sent now that arrives `lateMs` later. */
    ping: (lateMs = 0) => {
      const atMs = server;
      pass(lateMs);
      clock.hear(atMs);
    },
    sleep: (ms: number) => {
      server += ms;
      wall += ms;
      if (!steadySleeps) steady += ms;
    },
    setWall: (byMs: number) => {
      wall += byMs;
    },
    setServer: (byMs: number) => {
      server += byMs;
    },
    /** The clock's error. */
    error: () => clock.now() - server,
  };
}

test.each([60_000, -60_000, 5 * hourMs, 1_500])(
  'a browser that is %i ms ahead shows the server’s time from the first ping on',
  (ahead) => {
    const world = worldOf(ahead);
    expect(world.error()).toBe(ahead);
    world.ping(40);
    expect(world.clock.aheadMs()).toBe(ahead + 40);
    expect(Math.abs(world.error())).toBeLessThan(1_000);
  },
);

test('less than a second is no difference', () => {
  const world = worldOf(700);
  for (let n = 0; n < 50; n += 1) {
    world.pass(3_000);
    world.ping(n % 7);
  }
  expect(world.clock.aheadMs()).toBe(0);
});

test('pings that come late move nothing, and the one that comes in time mends what a late one said', () => {
  const world = worldOf(60_000);
  world.ping(9_000);
  expect(world.error()).toBe(-9_000);
  world.ping(20);
  expect(world.error()).toBe(-20);
  for (let n = 0; n < 20; n += 1) world.ping(4_000 + 100 * n);
  expect(world.error()).toBe(-20);
});

test.each([90_000, -90_000])(
  'a browser’s clock that is set by %i ms is right again with the second ping',
  (by) => {
    const world = worldOf(0);
    for (let n = 0; n < 60; n += 1) {
      world.pass(3_000);
      world.ping(10);
    }
    world.setWall(by);
    for (let n = 0; n < 2; n += 1) {
      world.pass(3_000);
      world.ping(10);
    }
    expect(Math.abs(world.error())).toBeLessThan(1_000);
  },
);

test('a server’s clock that is set ahead is followed at once, one that is set back within two minutes', () => {
  const world = worldOf(0);
  world.ping();
  world.setServer(30_000);
  world.pass(3_000);
  world.ping();
  expect(world.error()).toBe(0);
  world.setServer(-30_000);
  for (let n = 0; n < 40; n += 1) {
    world.pass(3_000);
    world.ping();
  }
  expect(world.error()).toBe(0);
});

test.each([false, true])(
  'after a sleep the time is right, at any older messages; the steady clock slept: %s',
  (steadySleeps) => {
    const world = worldOf(60_000, { steadySleeps });
    for (let n = 0; n < 10; n += 1) {
      world.pass(3_000);
      world.ping(10);
    }
    const before = world.server();
    world.sleep(hourMs);
    expect(Math.abs(world.error())).toBeLessThan(1_000);
    // Two that the machine had received but not read.
    world.clock.hear(before);
    world.pass(5);
    world.clock.hear(before);
    expect(Math.abs(world.error())).toBeLessThan(1_000);
    for (let n = 0; n < 50; n += 1) {
      world.pass(3_000);
      world.ping(10);
      expect(Math.abs(world.error())).toBeLessThan(1_000);
    }
  },
);

test('a page that was frozen reads its pings all at once, and ends with the last one', () => {
  const world = worldOf(-60_000);
  world.ping();
  const waiting: number[] = [];
  for (let n = 0; n < 100; n += 1) {
    world.pass(3_000);
    waiting.push(world.server());
  }
  for (const atMs of waiting) world.clock.hear(atMs);
  expect(Math.abs(world.error())).toBeLessThan(1_000);
});
