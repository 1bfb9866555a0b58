import { expect, test } from 'vitest';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import type { Clock } from '@/lib/providers/consul/client/clock';
import { toConsulError } from '@/lib/providers/consul/client/errors';
import { type AgentLink, watchLink } from './heartbeat';

const call = { name: 'status leader', write: false, timeoutMs: 2_500 };
const refused = toConsulError({ code: 'ECONNREFUSED' }, call);
const late = toConsulError({ isTimeout: true }, call);
const limited = toConsulError({ statusCode: 429, response: { body: 'rate limit exceeded' } }, call);
const unknownToken = toConsulError({ statusCode: 403, response: { body: 'ACL not found' } }, call);
const notTaken = toConsulError({ code: 'ECONNRESET', opening: true }, call);

/** Plays beats against a scripted clock; each answer is a leader or an error. */
async function play({
  beats,
  token = null,
  answers = token ?? [],
}: {
  beats: readonly (string | Error)[];
  token?: readonly (Error | null)[] | null;
  /** The leader's answers, each an error or none. */
  answers?: readonly (Error | null)[];
}) {
  const end = new AbortController();
  const pauses: number[] = [];
  const links: AgentLink[] = [];
  let asked = 0;
  let checked = 0;
  const clock: Clock = {
    now: () => 0,
    random: () => 0,
    pause: async (ms) => {
      pauses.push(ms);
      if (asked >= beats.length) end.abort();
    },
  };
  const client = {
    settings: { token: token === null ? null : 't' },
    leader: async () => {
      const beat = beats[asked] ?? '';
      asked += 1;
      if (typeof beat !== 'string') throw beat;
      return beat === '' ? null : beat;
    },
    session: async () => {
      const refusal = answers[checked] ?? null;
      checked += 1;
      if (refusal !== null) throw refusal;
      return { value: null, index: '1', lastContactMs: 0, knownLeader: true, filtered: false };
    },
  } as unknown as ConsulClient;
  await watchLink({ client, clock, onBeat: (link) => links.push(link) }, end.signal);
  return { pauses, links, checked };
}

test('one missing beat is shaky, two are down, and an answer is up at once', async () => {
  const { links } = await play({ beats: ['a:1', refused, refused, refused, 'a:1'] });
  expect(links.map(({ state }) => state)).toEqual(['up', 'shaky', 'down', 'down', 'up']);
});

test('an agent that limits requests, or takes no connection, is asked less often and not more', async () => {
  const busy = await play({ beats: ['a:1', limited, limited, 'a:1'] });
  expect(busy.links.map(({ state }) => state)).toEqual(['up', 'up', 'up', 'up']);
  expect(busy.pauses).toEqual([2_000, 6_000, 6_000, 2_000]);
  const full = await play({ beats: ['a:1', notTaken, notTaken, notTaken] });
  expect(full.pauses).toEqual([2_000, 500, 6_000, 6_000]);
});

test('without a leader it asks more often, so that the end of an election is soon known', async () => {
  const { links, pauses } = await play({ beats: ['a:1', '', '', 'a:1'] });
  expect(links).toMatchObject([{ leader: true }, { leader: false }, { leader: false }, { leader: true }]);
  expect(pauses).toEqual([2_000, 250, 250, 2_000]);
});

test('a gap too long for an election is waited for without haste', async () => {
  const { pauses } = await play({ beats: [...Array.from({ length: 43 }, () => ''), 'a:1', ''] });
  expect(pauses.slice(0, 40)).toEqual(Array.from({ length: 40 }, () => 250));
  expect(pauses.slice(40)).toEqual([2_000, 2_000, 2_000, 2_000, 250]);
});

const refusals = (links: readonly AgentLink[]) =>
  links.map((link) => (link.state === 'up' ? (link.refusal?.code ?? 'ok') : link.state));

test('a token that Consul no longer knows is said at its second refusal, a second later, and taken back as soon as it is known', async () => {
  const beats = Array.from({ length: 6 }, () => 'a:1');
  const token = [null, unknownToken, unknownToken, unknownToken, null];
  const { links, pauses, checked } = await play({ beats, token });
  expect(refusals(links)).toEqual(['ok', 'ok', 'signed-out', 'signed-out', 'ok', 'ok']);
  expect(pauses).toEqual([2_000, 1_000, 2_000, 2_000, 2_000, 2_000]);
  expect(checked).toBe(6);
});

test('one refusal of the token signs no one out, nor do two with an outage or no leader in between', async () => {
  const once = await play({ beats: ['a:1', 'a:1', 'a:1', 'a:1'], token: [unknownToken, null, unknownToken] });
  expect(refusals(once.links)).toEqual(['ok', 'ok', 'ok', 'ok']);
  for (const gap of ['', refused]) {
    const { links } = await play({ beats: ['a:1', gap, 'a:1', 'a:1'], token: [unknownToken, unknownToken] });
    expect(refusals(links)).not.toContain('signed-out');
  }
});

test('an agent that names a leader and does not reach it is as one that does not answer, with a token or without', async () => {
  const answers = [null, late, late, null];
  for (const token of [null, answers]) {
    const { links } = await play({ beats: ['a:1', 'a:1', 'a:1', 'a:1'], token, answers });
    expect(links.map(({ state }) => state)).toEqual(['up', 'shaky', 'down', 'up']);
  }
});

test('a refusal by the leader of a caller without a token is an answer', async () => {
  const { links } = await play({ beats: ['a:1', 'a:1'], answers: [unknownToken, unknownToken] });
  expect(links).toMatchObject([
    { state: 'up', refusal: null },
    { state: 'up', refusal: null },
  ]);
});
