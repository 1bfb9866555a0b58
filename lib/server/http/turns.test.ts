import { beforeEach, expect, test, vi } from 'vitest';
import { HttpProblem } from './http';
import { createTurns, type Lane, type RequestTurn, type RequestTurns } from './turns';

/** The thread's counters, which each test sets. */
let cpuMs: number;
let idleMs: number;
let clockMs: number;
let turns: RequestTurns;
let begun: string[];
const costs = new Map<string, number>();

beforeEach(() => {
  // The checks between two turns use the real `setImmediate`.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  [cpuMs, idleMs, clockMs] = [0, 0, 0];
  begun = [];
  costs.clear();
  turns = createTurns({
    now: () => clockMs,
    thread: {
      cpuMs: () => cpuMs,
      idleWatch: () => {
        let last = idleMs;
        return () => {
          const since = idleMs - last;
          last = idleMs;
          return since;
        };
      },
    },
    waitingMax: { client: 40, all: 60 },
  });
  return () => vi.useRealTimers();
});

function ask(client: string, lane: Lane = 'page'): RequestTurn {
  const turn = turns.ask(lane, client, (ms) => costs.set(client, (costs.get(client) ?? 0) + ms));
  void turn.begun.then(() => begun.push(client));
  return turn;
}
const settled = async () => {
  for (let n = 0; n < 20; n += 1) await new Promise((resolve) => setImmediate(resolve));
};

test('a client that asks for forty waits for its own, and another that asks for one is next', async () => {
  const loop = Array.from({ length: 40 }, () => ask('loop'));
  const other = ask('other');
  await settled();
  expect(begun).toEqual(['loop']);
  loop[0]?.end();
  await settled();
  expect(begun).toEqual(['loop', 'other']);
  other.end();
  for (const turn of loop) {
    turn.end();
    await settled();
  }
  expect(begun).toEqual(['loop', 'other', ...Array.from({ length: 39 }, () => 'loop')]);
});

test('clients take turns, at any number of requests of the first', async () => {
  const all = ['a', 'a', 'a', 'b', 'b', 'c'].map((client) => ask(client));
  for (let n = 0; n < 6; n += 1) {
    await settled();
    expect(begun).toHaveLength(n + 1);
    const name = begun[n];
    const nth = begun.filter((one) => one === name).length - 1;
    all.filter((_, at) => ['a', 'a', 'a', 'b', 'b', 'c'][at] === name)[nth]?.end();
  }
  expect(begun).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
});

test('data does not wait for a page', async () => {
  ask('loop');
  ask('loop');
  ask('other', 'data');
  await settled();
  expect(begun).toEqual(['loop', 'other']);
});

test('the next page waits for the data that is being made', async () => {
  const first = ask('loop');
  ask('loop');
  const data = ask('other', 'data');
  first.end();
  await settled();
  expect(begun).toEqual(['loop', 'other']);
  data.end();
  await settled();
  expect(begun).toEqual(['loop', 'other', 'loop']);
});

test('a turn is over while the thread has nothing to do, as one that waits for Consul or for a slow reader', async () => {
  ask('slow');
  ask('other');
  await vi.advanceTimersByTimeAsync(50);
  expect(begun).toEqual(['slow']);
  idleMs += 4;
  await vi.advanceTimersByTimeAsync(10);
  await settled();
  expect(begun).toEqual(['slow', 'other']);
});

test('where the thread is never idle a turn ends all the same, after a second', async () => {
  ask('stuck');
  ask('other');
  clockMs = 999;
  await vi.advanceTimersByTimeAsync(20);
  expect(begun).toEqual(['stuck']);
  clockMs = 1_000;
  await vi.advanceTimersByTimeAsync(20);
  await settled();
  expect(begun).toEqual(['stuck', 'other']);
});

test('a client that leaves while it waits has no turn', async () => {
  const first = ask('a');
  const left = ask('b');
  ask('c');
  left.end();
  first.end();
  await settled();
  expect(begun).toEqual(['a', 'c']);
});

test('a client that waits for as many as it may is refused with when to come again, and others are not', async () => {
  for (let n = 0; n < 41; n += 1) ask('loop');
  const refused = () => turns.ask('page', 'loop', () => {});
  expect(refused).toThrow(HttpProblem);
  expect(refused).toThrow(
    expect.objectContaining({ httpStatus: 429, headers: { 'retry-after': '5' } }) as never,
  );
  const other = ask('other');
  expect(other).toBeDefined();
});

test('a turn costs what the processor did meanwhile, shared with those whose turn it was as well', async () => {
  const page = ask('a');
  cpuMs += 10;
  const data = ask('b', 'data');
  cpuMs += 20;
  page.end();
  cpuMs += 7;
  data.end();
  cpuMs += 100;
  expect(Object.fromEntries(costs)).toEqual({ a: 20, b: 17 });
  ask('a').end();
  expect(costs.get('a')).toBe(20);
});
