import { afterEach, beforeEach, expect, test } from 'vitest';
import { liveSource } from '@/lib/domain/fixture/world';
import type { SourceState } from '@/lib/domain/source-state';
import type { Ask } from '@/lib/providers/consul/client/acl';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { type Clock, systemClock } from '@/lib/providers/consul/client/clock';
import { ConsulError } from '@/lib/providers/consul/client/errors';
import { createStage, type StageTold } from './server-world';
import { createSights } from './sights';

const unknownToken = new ConsulError(
  { code: 'signed-out', why: { code: 'token-unknown', facts: {} } },
  403,
  '',
);
const noAnswer = new ConsulError({ code: 'unavailable' }, null, '');
const known = 'known';
const leaderless = 'leaderless';
/** `everyMs` in `turns.ts`. */
const reviewsMs = 2_000;
type Answer = typeof known | typeof leaderless | ConsulError;

let end: AbortController;
beforeEach(() => {
  end = new AbortController();
});
afterEach(() => end.abort());

/** Follows a token about which Consul answers this in turn. Returns its problems, and the rests between the questions. */
async function follow(answers: readonly Answer[]) {
  const authorize = async (asks: readonly Ask[]) => asks.map(() => true);
  const stage = createStage({
    client: { authorize, leader: async () => 'a:1', list: (() => {}) as never },
    prefixes: [],
    clock: systemClock,
  });
  void stage.play(async (say: StageTold) => {
    say.scene({ world: { locks: [], semaphores: [], sessions: [] }, asOfMs: 0 }, [], {} as never);
    say.source(liveSource());
    await new Promise((resolve) => end.signal.addEventListener('abort', resolve));
  }, end.signal);
  await new Promise<void>((resolve) => stage.follow({ width: resolve }));

  let at = 0;
  const isOver = new AbortController();
  const rests: number[] = [];
  const problems: (string | null)[] = [];
  let problem: string | null = null;
  const clock: Clock = {
    ...systemClock,
    now: () => 0,
    pause: async (ms, signal) => {
      // The reviews of rights wait for ever.
      if (ms === reviewsMs) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      // What the sight asks is answered first.
      await new Promise((resolve) => setImmediate(resolve));
      if (signal.aborted) return;
      rests.push(ms);
      problems.push(problem);
      at += 1;
      if (at === answers.length) isOver.abort();
    },
  };
  const client = {
    authorize,
    keys: async () => ({ value: [] }),
    leader: async () => (answers[at] === leaderless ? null : 'a:1'),
    token: async () => {
      const answer = answers[at] ?? known;
      if (answer === leaderless) throw unknownToken;
      if (answer !== known) throw answer;
      return { accessorId: 'a', rights: 'r', description: '', grants: [], expiresAtMs: null };
    },
  } as unknown as ConsulClient;
  const listener = {
    world: () => {},
    source: (source: SourceState) => {
      problem = source.problem?.code ?? null;
    },
    shares: () => {
      problem = null;
    },
  };
  await createSights({ stage, clock }).follow({ client, from: () => '' }, listener, isOver.signal);
  return { problems, rests };
}

test('a token is unknown at its second refusal, a second later, until it is known again', async () => {
  const { problems, rests } = await follow([known, unknownToken, unknownToken, unknownToken, known]);
  expect(problems).toEqual([null, null, 'signed-out', 'signed-out', null]);
  expect(rests).toEqual([2_500, 1_000, 500, 500, 2_500]);
});

test.each([
  ['an answer', known],
  ['a gap without a leader', leaderless],
  ['an outage', noAnswer],
] as const)('two refusals of a token with %s in between sign no one out', async (_what, between) => {
  const { problems } = await follow([known, unknownToken, between, unknownToken, between, known]);
  expect(problems).not.toContain('signed-out');
});
