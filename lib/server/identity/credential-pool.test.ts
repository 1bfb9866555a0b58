import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sawNothing } from '@/lib/domain/actions/expect';
import { liveSource } from '@/lib/domain/fixture/world';
import type { World } from '@/lib/domain/model';
import { isProblem, type Problem, ProblemError } from '@/lib/domain/problem';
import type { Backend } from '@/lib/domain/seam/backend';
import type { Provider, ProviderListener } from '@/lib/domain/seam/provider';
import type { Asker } from '@/lib/server/http/limits';
import { createPlaces } from '@/lib/server/stream/stream-quota';
import { type CredentialPool, createCredentialPool } from './credential-pool';
import { credentialName } from './credentials';

const minute = 60_000;
const source = liveSource({ provider: 'test' });
const anybody: Asker = { identity: { kind: 'anonymous' }, address: null };
const forgotten: Problem = { code: 'signed-out', why: { code: 'token-unknown', facts: {} } };

/** One provider under the test's control. */
interface Played {
  readonly secret: string | null;
  listener: ProviderListener | null;
  watching: boolean;
  closed: boolean;
  /** The request within which the watch began. */
  request: string | null;
  /** Ends the apply that is under way. */
  finish: () => void;
}

const request = new AsyncLocalStorage<string>();
let played: Played[];
let bugs: unknown[];
let signedOut: string[];
let failClose: boolean;
let viewpoints: CredentialPool;
const of = (secret: string | null) => played.filter((one) => one.secret === secret);

function provider(secret: string | null): Provider {
  const one: Played = {
    secret,
    listener: null,
    watching: false,
    closed: false,
    request: null,
    finish: () => {},
  };
  played.push(one);
  return {
    id: 'test',
    watch: (listener, signal) => {
      one.listener = listener;
      one.watching = true;
      one.request = request.getStore() ?? null;
      return new Promise((resolve) =>
        signal.addEventListener('abort', () => {
          one.watching = false;
          resolve();
        }),
      );
    },
    plan: () => Promise.reject(new Error('not here')),
    saw: () => sawNothing,
    apply: () =>
      new Promise((resolve) => {
        one.finish = () => resolve({ code: 'stale' });
      }),
    close: () => {
      one.closed = true;
      if (failClose) throw new Error('could not close');
    },
  };
}

function* finding() {
  yield 0;
  return [];
}

beforeEach(() => {
  vi.useFakeTimers({
    now: 0,
    toFake: ['setTimeout', 'setInterval', 'clearInterval', 'clearTimeout', 'Date'],
  });
  played = [];
  bugs = [];
  signedOut = [];
  failClose = false;
  viewpoints = createCredentialPool({
    backend: { provider, credentialsMax: 4 } as unknown as Backend,
    now: Date.now,
    findingsOf: () => [],
    createFindingChanges: () => finding,
    streamsMax: 10,
    streamsTotalMax: 12,
    places: createPlaces({ address: 12, person: 3 }),
    idleMs: minute,
    onSource: () => {},
    onSignedOut: (name) => signedOut.push(name),
    onBug: (error) => bugs.push(error),
  });
});
afterEach(async () => {
  failClose = false;
  // A refused one ends only in the next turn.
  await new Promise((resolve) => setImmediate(resolve));
  await viewpoints.close();
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
/** A signal for each viewer; a shared one would gather a listener for each. */
const never = () => new AbortController().signal;
/** A viewer of a viewpoint, and everything sent to it. */
function view(secret: string, asker: Asker = anybody) {
  const stream = viewpoints
    .of(secret)
    .streams.open({ asker, filter: null, lastEventId: null, signal: never() });
  if (stream === null) throw new Error('No stream.');
  const reader = stream.getReader();
  return {
    leave: () => reader.cancel(),
    rest: async () => {
      let text = '';
      for (let part = await reader.read(); !part.done; part = await reader.read())
        text += new TextDecoder().decode(part.value);
      return text;
    },
  };
}
const refusal = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    if (error instanceof ProblemError) return error.problem;
    throw error;
  }
  return null;
};

test('one credential has one viewpoint, another one another, and none is the own', () => {
  expect(viewpoints.of('ann')).toBe(viewpoints.of('ann'));
  expect(viewpoints.of('bob')).not.toBe(viewpoints.of('ann'));
  expect(viewpoints.own).not.toBe(viewpoints.of('ann'));
  expect(played.map((one) => one.secret)).toEqual([null, 'ann', 'bob']);
  expect(viewpoints.open).toHaveLength(3);
});

test('a viewpoint, which stays, keeps nothing of the request that came first', () => {
  request.run('with cookies', () => viewpoints.of('ann'));
  expect(of('ann')).toMatchObject([{ watching: true, request: null }]);
});

test("one credential's view is in no other viewpoint", () => {
  const secretWorld: World = { locks: [], semaphores: [], sessions: [] };
  viewpoints.of('ann');
  viewpoints.of('bob');
  of('ann')[0]?.listener?.world(secretWorld, 77);
  expect(viewpoints.of('ann').hub.snapshot().asOfMs).toBe(77);
  expect(viewpoints.of('bob').hub.snapshot().asOfMs).not.toBe(77);
  expect(viewpoints.own.hub.snapshot().asOfMs).not.toBe(77);
});

test("an unused viewpoint ends; the server's own stays", async () => {
  viewpoints.of('ann');
  await pass(minute + 10_000);
  expect(of('ann')[0]).toMatchObject({ watching: false, closed: true });
  expect(of(null)[0]).toMatchObject({ watching: true, closed: false });
  expect(viewpoints.open).toHaveLength(1);
});

test('one with a viewer stays, for as long as they look', async () => {
  const viewer = view('ann');
  await pass(10 * minute);
  expect(of('ann')[0]).toMatchObject({ watching: true });
  await viewer.leave();
  await pass(minute + 10_000);
  expect(of('ann')[0]).toMatchObject({ watching: false, closed: true });
});

test('an action that is under way is brought to its end before its viewpoint ends', async () => {
  const doing = viewpoints
    .of('ann')
    .provider.apply(
      { type: 'lock.delete', source: 'consul', key: 'k' },
      { entries: [], sessions: [] },
      never(),
    );
  await pass(5 * minute);
  expect(of('ann')[0]).toMatchObject({ closed: false });
  of('ann')[0]?.finish();
  expect(isProblem(await doing)).toBe(true);
  await pass(minute + 10_000);
  expect(of('ann')[0]).toMatchObject({ closed: true });
});

test('no more are open than the backend bears; an unused one makes room, one in use never', async () => {
  const viewers = ['a', 'b'].map((secret) => view(secret));
  viewpoints.of('c');
  expect(refusal(() => viewpoints.of('d'))).toMatchObject({
    code: 'busy',
    why: { code: 'too-many-people', facts: { max: 3 } },
  });
  await pass(4_000);
  viewpoints.of('d');
  expect([of('a')[0]?.closed, of('b')[0]?.closed]).toEqual([false, false]);
  await vi.waitFor(() => expect(of('c')[0]?.closed).toBe(true));
  expect(viewpoints.open).toHaveLength(4);
  for (const viewer of viewers) await viewer.leave();
});

test('when the backend no longer knows a credential, every viewer is notified, and it ends', async () => {
  const viewers = [view('ann'), view('ann')];
  const other = view('bob');
  of('ann')[0]?.listener?.source({ ...source, state: 'stale', problem: forgotten });
  for (const viewer of viewers) {
    const text = await viewer.rest();
    expect(text).toMatch(/event: signed-out\ndata: .*"token-unknown"/);
    expect(text.trimEnd().split('\n\n').at(-1)).toContain('event: signed-out');
  }
  expect(signedOut).toEqual([credentialName('ann')]);
  await vi.waitFor(() => expect(of('ann')[0]).toMatchObject({ watching: false, closed: true }));
  expect(of('bob')[0]).toMatchObject({ watching: true, closed: false });
  await other.leave();
});

test('an action under way when the backend forgets its credential is brought to its end, and then it ends', async () => {
  const doing = viewpoints
    .of('ann')
    .provider.apply(
      { type: 'lock.delete', source: 'consul', key: 'k' },
      { entries: [], sessions: [] },
      never(),
    );
  of('ann')[0]?.listener?.source({ ...source, state: 'stale', problem: forgotten });
  await vi.waitFor(() => expect(of('ann')[0]).toMatchObject({ watching: false }));
  await pass(minute);
  expect(of('ann')[0]).toMatchObject({ closed: false });
  expect(viewpoints.open).toEqual([viewpoints.own]);
  of('ann')[0]?.finish();
  expect(isProblem(await doing)).toBe(true);
  await vi.waitFor(() => expect(of('ann')[0]).toMatchObject({ closed: true }));
});

test('the end of the server waits for no action of a credential that was forgotten', async () => {
  void viewpoints
    .of('ann')
    .provider.apply(
      { type: 'lock.delete', source: 'consul', key: 'k' },
      { entries: [], sessions: [] },
      never(),
    );
  of('ann')[0]?.listener?.source({ ...source, state: 'stale', problem: forgotten });
  await vi.waitFor(() => expect(of('ann')[0]).toMatchObject({ watching: false }));
  await viewpoints.close();
  expect(of('ann')[0]).toMatchObject({ closed: true });
});

test('a caller with the old viewpoint is notified as well, and a new caller gets a new one', async () => {
  const before = viewpoints.of('ann');
  of('ann')[0]?.listener?.source({ ...source, state: 'stale', problem: forgotten });
  const late = before.streams.open({ asker: anybody, filter: null, lastEventId: null, signal: never() });
  expect(await new Response(late).text()).toContain('event: signed-out');
  expect(viewpoints.of('ann')).not.toBe(before);
  expect(of('ann')).toHaveLength(2);
});

test("an outage, and a refusal of the server's own credential, sign no one out", async () => {
  const viewer = view('ann');
  of('ann')[0]?.listener?.source({ ...source, state: 'down', problem: { code: 'unavailable' } });
  of(null)[0]?.listener?.source({ ...source, state: 'stale', problem: forgotten });
  await pass(10_000);
  expect(signedOut).toEqual([]);
  expect(of('ann')[0]).toMatchObject({ watching: true });
  await viewer.leave();
});

test('an error while one closes is reported, and delays nothing', async () => {
  viewpoints.of('ann');
  failClose = true;
  await pass(minute + 10_000);
  expect(bugs).toHaveLength(1);
  failClose = false;
  viewpoints.of('ann');
  expect(of('ann')).toHaveLength(2);
});

test('at the end all end', async () => {
  const viewer = view('ann');
  await viewpoints.close();
  await viewer.rest();
  expect(played.every((one) => one.closed && !one.watching)).toBe(true);
});

test('a clock that is set back keeps no viewpoint for longer, and the room is there again', async () => {
  for (const secret of ['ann', 'bob', 'cid']) viewpoints.of(secret);
  vi.setSystemTime(Date.now() - 180 * minute);
  await pass(20_000);
  viewpoints.of('dan');
  expect(viewpoints.open).toHaveLength(4);
  await pass(2 * minute);
  expect(viewpoints.open).toEqual([viewpoints.own]);
});

test('all viewpoints together have so many viewers and no more, and one that leaves makes room for any', async () => {
  const ann = Array.from({ length: 8 }, () => view('ann'));
  for (let n = 0; n < 4; n += 1) view('bob');
  expect(() => view('bob')).toThrow('No stream.');
  expect(() => view('cid')).toThrow('No stream.');
  await ann[0]?.leave();
  expect(view('cid')).toBeDefined();
});

test('one person takes their share of all viewpoints together, and leaves the others room', () => {
  const person = (name: string): Asker => ({ identity: { kind: 'proxy', name }, address: '192.0.2.1' });
  for (const secret of ['ann', 'bob', 'bob']) view(secret, person('eve'));
  for (const secret of ['ann', 'bob', 'cid']) expect(() => view(secret, person('eve'))).toThrow('No stream.');
  expect(view('ann', person('dan'))).toBeDefined();
});
