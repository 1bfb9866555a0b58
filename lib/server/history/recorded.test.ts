/** What is said of a source that a person sees by their own token, as the server's may not read all of it. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { world } from '@/lib/domain/fixture/world';
import { unreadSource } from '@/lib/domain/source-state';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import type { ChangesAsked } from './change-query';
import { answerColumns } from './columns';
import { answerPast } from './past';

const nowMs = 1_700_000_000_000;
const state = unreadSource({ id: 'consul', title: 'Consul', provider: 'consul', origin: '' });
const column = { path: '', heldShare: 0, seenMs: 0, waitersMax: null, counted: false };
const nothing = {
  ...{ episodes: [], waits: [], findings: [], limits: [], gaps: [], hours: [] },
  ...{ more: false, moreHolds: false },
};

const callerOf = (sight: { readonly sight?: 'own' }) => ({
  accessControl: 'off' as const,
  viewpoint: {
    provider: { id: 'consul' },
    hub: {
      snapshot: (): Snapshot => ({
        ...world(),
        version: 1,
        asOfMs: nowMs,
        source: { ...state, ...sight },
        findings: [],
      }),
    },
  },
});
const none = { atMs: null, complete: true };
const runtime = {
  now: () => nowMs,
  history: {
    state: () => ({ state: 'recording' as const, awaySinceMs: null }),
    since: async () => 0,
    columns: async (subjects: readonly string[]) => new Map(subjects.map((one) => [one, column])),
    changes: async () => ({ previous: none, next: none }),
    writtenUntil: async () => 0,
    usual: async () => [],
    read: async () => nothing,
    at: async () => ({
      ...nothing,
      limitChanges: [],
      writtenUntilMs: nowMs,
      known: new Set(['consul']),
      unbroken: new Map(),
    }),
  },
};

test.each([
  [{}, ['lock:a'], { state: 'seen', why: null }],
  [{ sight: 'own' as const }, [], { state: 'unseen', why: 'not-kept' }],
])('with %o the last hour and the past are of what was recorded only', async (sight, columns, past) => {
  const body = JSON.stringify({ subjects: ['lock:a'] });
  const headers = { 'content-type': 'application/json' };
  const asked = new Request('http://here/columns', { method: 'POST', headers, body });
  const answer = await (await answerColumns(asked, callerOf(sight), runtime)).json();
  expect(Object.keys(answer.columns)).toEqual(columns);
  const at = new Request(`http://here/at?time=${nowMs - 1_000}`);
  const { sources } = await (await answerPast(at, callerOf(sight), runtime)).json();
  expect(sources).toMatchObject([past]);
});

test('rights that are not answered in time keep nobody from the board: where its changes are is not known then', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const readable = (_: unknown, signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
    );
  const provider = { id: 'consul', readable, seesSessions: async () => 'yes' as const };
  const caller = { accessControl: 'on' as const, viewpoint: { ...callerOf({}).viewpoint, provider } };
  const changes = async (_: unknown, { readable: may }: ChangesAsked) => {
    for (;;) await may?.(['lock:a']);
  };
  const asked = new Request(`http://here/at?time=${nowMs - 1_000}`);
  const answer = answerPast(asked, caller, { ...runtime, history: { ...runtime.history, changes } });
  await vi.advanceTimersByTimeAsync(4_000);
  const { sources, previous, next } = await (await answer).json();
  expect(sources).toMatchObject([{ state: 'seen' }]);
  const notFound = { atMs: null, complete: false };
  expect([previous, next]).toEqual([notFound, notFound]);
}, 5_000);

test('a store that does not tell where the changes are is no board without changes', async () => {
  const changes = async () => Promise.reject(new Error('disk'));
  const asked = new Request(`http://here/at?time=${nowMs - 1_000}`);
  const answer = answerPast(asked, callerOf({}), { ...runtime, history: { ...runtime.history, changes } });
  await expect(answer).rejects.toMatchObject({ problem: { code: 'unavailable' } });
});

test('a name with a character that a store cannot keep is refused, and of many it is left out', async () => {
  const body = JSON.stringify({ subjects: ['lock:\0', 'lock:a'] });
  const headers = { 'content-type': 'application/json' };
  const asked = new Request('http://here/columns', { method: 'POST', headers, body });
  const answer = await (await answerColumns(asked, callerOf({}), runtime)).json();
  expect(Object.keys(answer.columns)).toEqual(['lock:a']);
  const at = new Request(`http://here/at?time=${nowMs}&subject=lock:%00`);
  await expect(answerPast(at, callerOf({}), runtime)).rejects.toMatchObject({ problem: { code: 'invalid' } });
});
