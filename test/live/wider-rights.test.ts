/**
 * Entries that a token may read from now on have begun at some earlier time, and entries that are created under its
 * eyes begin now. Rights widen while others write, so the first answer with them has a higher index.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { createSparePolls } from '@/lib/providers/consul/client/spare-polls';
import { makeToken, rewrite } from '@/test/identity/tokens';
import { startConsul, type TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { startWatching, type Watching } from './watching';

let consul: TestConsul;
let all: ConsulClient;
let watching: Watching | null = null;

beforeEach(async () => {
  consul = await startConsul({ acl: true });
  all = consul.client();
});
afterEach(async () => {
  await watching?.stop();
  watching = null;
  await consul.stop();
});

const seesSessions = 'session_prefix "" { policy = "read" } node_prefix "" { policy = "read" }';
const seesKeys = 'key_prefix "" { policy = "read" }';

/** A token with these rules, and a way to give it others. */
async function account(rules: string) {
  const token = await makeToken(consul, rules);
  return {
    client: consul.client({ token: token.secret }),
    may: (wider: string) => rewrite(consul, token, wider),
  };
}

const begin = (name: string) =>
  all.createSession({ name, ttlMs: null, behavior: 'release', lockDelayMs: 0, checks: [] });
const take = async (key: string, session: string) =>
  expect(await all.acquire({ key, session, flags: '0', value: Buffer.from(key) })).toBe(true);
const write = (key: string, value: string) =>
  all.txn([{ verb: 'set', key, value: Buffer.from(value), flags: '0' }]);

const sightings = () => watching?.views.at(-1)?.sightings;
const heldSince = (key: string, session: string) => sightings()?.heldSince(key, session) ?? null;
const writeBusy = (n: number): Promise<unknown> => write('seen/busy', String(n));
/** Writes until the condition holds, without a rest in which an answer has the index of the one before. */
async function writingUntil<T>(
  condition: () => T | null | undefined | false,
  what: string,
  writeOne = writeBusy,
): Promise<T> {
  let isOver = false;
  const writing = (async () => {
    for (let n = 0; !isOver; n += 1) await writeOne(n);
  })();
  try {
    return (await until(condition, { what })) as T;
  } finally {
    isOver = true;
    await writing;
  }
}

test('a lock that a token may read from now on was not seen to be taken, and a new one was', async () => {
  const session = await begin('one');
  await take('later/a', session);
  const reader = await account(`key_prefix "seen/" { policy = "read" } ${seesSessions}`);
  watching = startWatching(reader.client);
  await watching.reaches('live');
  await take('seen/b', session);
  const seen = await until(() => heldSince('seen/b', session), { what: 'the new lock' });
  expect([seen.basis, watching.gaps()]).toEqual(['observed', 0]);
  await writingUntil(() => heldSince('seen/b', session), 'writes');
  await reader.may(`${seesKeys} ${seesSessions}`);
  const late = await writingUntil(() => heldSince('later/a', session), 'the lock in view');
  expect(late.basis).toBe('at-least');
  expect(heldSince('seen/b', session)).toEqual(seen);
  await watching.reaches('live');
  await take('later/c', session);
  expect((await until(() => heldSince('later/c', session), { what: 'the next lock' })).basis).toBe(
    'observed',
  );
});

test('a session that a token may see from now on was not seen to begin, and a new one was', async () => {
  const hidden = await begin('hidden');
  const reader = await account(seesKeys);
  watching = startWatching(reader.client);
  await watching.reaches('live');
  await reader.may(`${seesKeys} ${seesSessions}`);
  const sinceOf = (id: string) => sightings()?.sessionSince(id) ?? null;
  const beginOne = async () => all.destroySession(await begin('busy'));
  const late = await writingUntil(() => sinceOf(hidden), 'the session in view', beginOne);
  expect(late.basis).toBe('at-least');
  await watching.reaches('live');
  const next = await begin('next');
  expect((await until(() => sinceOf(next), { what: 'the next session' })).basis).toBe('observed');
});

test.each([
  ['in a part', ['stable/0/hidden'], true],
  ['outside of all parts', ['other/hidden'], true],
  [
    'in more places than there are polls',
    [...'abcdefghijklmnopqrstuvwxyz0123456789ABCD'].map((letter) => `${letter}/hidden`),
    false,
  ],
] as const)(
  'read in parts, locks that come into view %s were not seen to be taken',
  async (_, keys, staysInParts) => {
    const session = await begin('one');
    for (let n = 0; n < 4_500; n += 50)
      await all.txn(
        Array.from({ length: 50 }, (_, i) => ({
          verb: 'set',
          key: `stable/${((n + i) * 7919).toString(16).slice(-3)}/${n + i}`,
          value: Buffer.from('x'),
          flags: '0',
        })),
      );
    for (const key of keys) await take(key, session);
    const some = 'key_prefix "stable/" { policy = "read" } key_prefix "seen/" { policy = "read" }';
    const reader = await account(`${some} key "stable/0/hidden" { policy = "deny" } ${seesSessions}`);
    const spare = createSparePolls({ total: 33, each: 3 });
    let used = 0;
    let joins = 0;
    watching = startWatching(reader.client, [''], [], {
      begin: spare.begin,
      claim: (onLess) => {
        const claim = spare.claim(onLess);
        const use = (count: number) => {
          used = count;
          if (count === 0) joins += 1;
          claim.use(count);
        };
        return { ...claim, use };
      },
    });
    await watching.reaches('live');
    await until(() => used > 0, { what: 'the prefix to be read in parts' });
    await take('stable/0/new', session);
    await take('seen/new', session);
    for (const key of ['stable/0/new', 'seen/new']) {
      const seen = await until(() => heldSince(key, session), { what: 'the new lock' });
      expect(seen.basis).toBe('observed');
    }
    expect([watching?.gaps(), joins]).toEqual([0, 0]);
    await reader.may(`${seesKeys} ${seesSessions}`);
    const areInView = () => keys.every((key) => heldSince(key, session) !== null);
    await writingUntil(areInView, 'the locks in view', async (n) => {
      await write('stable/0/busy', String(n));
      await writeBusy(n);
    });
    expect(keys.map((key) => heldSince(key, session)?.basis)).toEqual(keys.map(() => 'at-least'));
    expect(joins === 0).toBe(staysInParts);
    await take('other/next', session);
    const next = await until(() => heldSince('other/next', session), { what: 'the next lock' });
    expect(next.basis).toBe('observed');
  },
);

test('under many writes, locks and sessions that come and go are no gap', async () => {
  const reader = await account(`${seesKeys} ${seesSessions}`);
  watching = startWatching(reader.client);
  await watching.reaches('live');
  const worker = async (name: string) => {
    for (let n = 0; n < 60; n += 1) {
      const session = await begin(name);
      await take(`jobs/${name}/${n % 5}`, session);
      await write(`jobs/${name}/new/${n}`, 'x');
      await all.destroySession(session);
    }
  };
  await Promise.all(['a', 'b', 'c', 'd'].map(worker));
  const last = await begin('last');
  await take('jobs/last', last);
  await until(() => heldSince('jobs/last', last), { what: 'the last lock' });
  expect(watching.views.length).toBeGreaterThan(10);
  expect(watching?.gaps()).toBe(0);
});
