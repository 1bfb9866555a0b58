import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Ask } from '@/lib/providers/consul/client/acl';
import type { Clock } from '@/lib/providers/consul/client/clock';
import { ConsulError } from '@/lib/providers/consul/client/errors';
import { createStage, type Stage, type Width } from './server-world';

const unknownToken = () => new ConsulError({ code: 'signed-out' }, 403, '');
/** The answer of 1.22.7 before it has read its tokens. */
const unready = () => new ConsulError({ code: 'forbidden' }, 403, 'ACL system must be bootstrapped');
const noAnswer = () => new ConsulError({ code: 'unavailable' }, null, '');

let nowMs: number;
let end: AbortController;
let stage: Stage;
let played: Promise<void>;
let widths: { readonly width: Width; readonly atMs: number }[];
/** Consul's answers at each instant; tests change them. */
let refusal: (atMs: number) => ConsulError | null;
let leader: (atMs: number) => string | null;

beforeEach(() => {
  nowMs = 0;
  end = new AbortController();
  widths = [];
  refusal = () => null;
  leader = () => 'a:1';
});
afterEach(async () => {
  end.abort();
  await played;
});

/** Plays the stage until this instant of the scripted clock. */
async function playUntil(endMs: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const clock: Clock = {
      now: () => nowMs,
      random: () => 0,
      pause: async (ms) => {
        nowMs += ms;
        if (nowMs < endMs) return;
        resolve();
        await new Promise<void>((stop) => end.signal.addEventListener('abort', () => stop()));
      },
    };
    const client = {
      authorize: async (asks: readonly Ask[]) => {
        const error = refusal(nowMs);
        if (error !== null) throw error;
        return asks.map(() => true);
      },
      leader: async () => leader(nowMs),
      list: (() => {}) as never,
    };
    stage = createStage({ client, prefixes: [], clock });
    stage.follow({ width: () => widths.push({ width: stage.width, atMs: nowMs }) });
    played = stage.play(
      () => new Promise((stop) => end.signal.addEventListener('abort', () => stop())),
      end.signal,
    );
  });
}

test("each person's token watches alone once the server's has been unknown for 30 s, until it is back", async () => {
  refusal = (atMs) => (atMs >= 30_000 && atMs < 90_000 ? unknownToken() : null);
  await playUntil(100_000);
  expect(widths).toEqual([
    { width: 'pending', atMs: 0 },
    { width: 'wide', atMs: 0 },
    { width: 'narrow', atMs: 60_000 },
    { width: 'wide', atMs: 90_000 },
  ]);
});

test('a token that is made again within 30 s changes nothing, however often', async () => {
  refusal = (atMs) => (atMs % 40_000 >= 30_000 && atMs % 40_000 < 39_000 ? unknownToken() : null);
  await playUntil(400_000);
  expect(stage.width).toBe('wide');
  expect(widths.map(({ width }) => width)).toEqual(['pending', 'wide']);
});

test.each([
  ['without a leader', () => null, () => unknownToken()],
  [
    'between other failures',
    () => 'a:1',
    (atMs: number) => (atMs % 20_000 === 0 ? noAnswer() : unknownToken()),
  ],
])('an unknown token %s proves nothing, however long', async (_what, named, refused) => {
  leader = named;
  refusal = (atMs) => (atMs >= 30_000 ? refused(atMs) : null);
  await playUntil(400_000);
  expect(stage.width).toBe('wide');
});

test('a wide stage turns narrow at the second refusal of its questions, and a new one at the first', async () => {
  refusal = (atMs) => (atMs === 30_000 || atMs >= 61_000 ? unready() : null);
  await playUntil(100_000);
  expect(widths).toEqual([
    { width: 'pending', atMs: 0 },
    { width: 'wide', atMs: 0 },
    { width: 'narrow', atMs: 62_000 },
  ]);
  end.abort();
  await played;
  end = new AbortController();
  [nowMs, widths, refusal] = [0, [], unready];
  await playUntil(10_000);
  expect(widths).toEqual([
    { width: 'pending', atMs: 0 },
    { width: 'narrow', atMs: 0 },
  ]);
});
