/**
 * The contract of the seam: what every provider keeps, on its real server. A provider passes its server and a pair of
 * hands, which do what clients and the network do; all else goes through `Backend` and `Provider` alone.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import type { Outcome } from '@/lib/domain/actions/plan';
import { isProblem, type Problem } from '@/lib/domain/problem';
import type { Backend } from '@/lib/domain/seam/backend';
import type { Planned, Provider } from '@/lib/domain/seam/provider';
import { rowName, type SourceId } from '@/lib/domain/source';
import { until } from '@/test/support/until';
import { handles, type Watching, watching } from './watching';

export interface Hands {
  /** A client takes a free lock; returns the holder's id. */
  hold(key: string): Promise<string>;
  /** That client releases it. */
  letGo(key: string, holder: string): Promise<void>;
  /** Clients queue for a held lock, in this order; returns their ids. `null`: this backend shows no waiters of a lock. */
  readonly queue: ((key: string, clients: number) => Promise<readonly string[]>) | null;
  /** A semaphore with so many holders; returns their ids. */
  semaphore(prefix: string, limit: number, holders: number): Promise<readonly string[]>;
  /** A client takes a lock and is gone without a word. The server frees it within `freedMs` by its own rule. */
  holdAndDie(key: string): Promise<{ readonly holder: string; readonly freedMs: number }>;
  /** From here on the provider does not reach the server; everyone else does. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  /** All that the server stores, as one text: equal texts, nothing was written. */
  stored(): Promise<string>;
}

/** A server that runs, for one test. */
export interface Stage {
  readonly backend: Backend;
  readonly hands: Hands;
  /** Ends what the stage has started; the server may go on. */
  close(): Promise<void>;
}

export interface Contender {
  readonly name: string;
  /** A plain name as this backend writes it; absent: as it is. */
  readonly named?: (plain: string) => string;
  /** Starts the server, once. */
  start(): Promise<{ stage(): Promise<Stage>; stop(): Promise<void> }>;
}

const signal = () => AbortSignal.timeout(30_000);

function planned(result: Planned | Problem): Planned {
  if (isProblem(result)) throw new Error(JSON.stringify(result));
  return result;
}
function done(result: Outcome | Problem): Outcome {
  if (isProblem(result)) throw new Error(JSON.stringify(result));
  return result;
}
function refusal(result: Planned | Outcome | Problem): Problem {
  if (!isProblem(result)) throw new Error(`Not refused: ${JSON.stringify(result)}`);
  return result;
}

const isSorted = (names: readonly string[]) =>
  names.every((name, i) => i === 0 || (names[i - 1] ?? '') < name);

/** Registers the tests of one provider. */
export function providerContract({ name, named = (plain) => plain, start }: Contender): void {
  const fresh = (plain: string) => named(`${plain}-${randomUUID().slice(0, 8)}`);
  describe(`the contract of a provider: ${name}`, () => {
    let server: Awaited<ReturnType<typeof start>>;
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server.stop());
    describe('while it is watched', () => {
      let stage: Stage;
      let provider: Provider;
      let watch: Watching;
      let source: SourceId;
      const release = (key: string): Action => ({ type: 'lock.release', source, key, how: 'hand-over' });
      const evict = (prefix: string, sessionId: string): Action => ({
        type: 'semaphore.evict',
        source,
        prefix,
        sessionId,
        how: 'slot-only',
      });
      const resize = (prefix: string, limit: number): Action => ({
        type: 'semaphore.resize',
        source,
        prefix,
        limit,
      });
      let hands: Hands;

      beforeEach(async () => {
        stage = await server.stage();
        ({ hands } = stage);
        source = stage.backend.sources[0]?.id ?? '';
        provider = stage.backend.provider(null);
        watch = watching(provider);
        await watch.says('live');
      });
      afterEach(async () => {
        await watch.stop();
        provider.close();
        stage.backend.close();
        await stage.close();
      });
      const held = (key: string) =>
        until(() => watch.lock(key)?.state === 'held' && watch.lock(key), { what: `${key} to be held` });

      test('worlds are whole and sorted, and rows that did not change keep their identity', async () => {
        const names = ['b', 'a', 'c'].map((part) => fresh(`same/${part}`));
        for (const key of names) await hands.hold(key);
        const prefix = fresh('same/pool');
        await hands.semaphore(prefix, 2, 1);
        for (const key of names) await held(key);
        await until(() => watch.semaphore(prefix)?.holders.length === 1, { what: 'the semaphore' });
        const before = watch.world();
        const seen = watch.worlds.length;
        const last = fresh('same/last');
        await hands.hold(last);
        await held(last);
        for (const world of watch.worlds.slice(seen)) {
          expect(isSorted(world.locks.map((one) => rowName(one.source, one.key)))).toBe(true);
          expect(isSorted(world.semaphores.map((one) => rowName(one.source, one.prefix)))).toBe(true);
          expect(isSorted(world.sessions.map((one) => rowName(one.source, one.id)))).toBe(true);
          for (const key of names)
            expect(world.locks.find((one) => one.key === key)).toBe(
              before.locks.find((one) => one.key === key),
            );
          expect(world.semaphores.find((one) => one.prefix === prefix)).toBe(
            before.semaphores.find((one) => one.prefix === prefix),
          );
        }
      });

      test('what clients do shows: who holds, who lets go, and how a semaphore is used', async () => {
        const key = fresh('shows/lock');
        const holder = await hands.hold(key);
        expect((await held(key)).holder?.sessionId).toBe(holder);
        await hands.letGo(key, holder);
        await until(() => watch.lock(key)?.state !== 'held', { what: 'the lock to be let go' });
        expect(watch.lock(key)?.holder ?? null).toBeNull();
        const prefix = fresh('shows/pool');
        const ids = await hands.semaphore(prefix, 3, 2);
        await until(() => watch.semaphore(prefix)?.holders.length === 2, { what: 'the holders' });
        expect(watch.semaphore(prefix)).toMatchObject({ limit: 3, recorded: 2, effective: 2, problems: [] });
        expect(new Set(watch.semaphore(prefix)?.holders.map(({ sessionId }) => sessionId))).toEqual(
          new Set(ids),
        );
      });

      test('who waits for a lock is listed in the order of the queue, or not claimed to be known', async () => {
        const key = fresh('queue/lock');
        await hands.hold(key);
        await held(key);
        if (hands.queue === null) {
          expect(watch.lock(key)?.waiters).toBeNull();
          return;
        }
        const ids = await hands.queue(key, 3);
        await until(() => watch.lock(key)?.waiters?.length === 3, { what: 'the queue' });
        expect(watch.lock(key)?.waiters?.map(({ sessionId }) => sessionId)).toEqual(ids);
      });

      test('a holder that dies is shown until its server frees the lock, and no longer', async () => {
        const key = fresh('dies/lock');
        const { holder, freedMs } = await hands.holdAndDie(key);
        const seen = await held(key);
        expect(seen.holder?.sessionId).toBe(holder);
        expect(seen.holder?.expiry.kind).not.toBe('never');
        await until(() => (watch.lock(key)?.holder ?? null) === null, {
          what: 'the dead holder to be out',
          timeoutMs: freedMs + 30_000,
        });
      });

      test('through an outage it keeps what it knew, says how old that is, and comes back by itself', async () => {
        const key = fresh('outage/lock');
        await hands.hold(key);
        await held(key);
        const cutMs = Date.now();
        await hands.cut();
        const during = fresh('outage/during');
        const source = await watch.says('stale', 'down');
        expect(source.problem).not.toBeNull();
        expect(source.staleSinceMs).not.toBeNull();
        expect(source.lastContactMs ?? 0).toBeGreaterThan(cutMs - 30_000);
        expect(source.lastContactMs ?? 0).toBeLessThanOrEqual(Date.now());
        expect(watch.lock(key)?.state).toBe('held');
        expect(isProblem(await provider.plan(release(key), signal()))).toBe(true);
        await hands.restore();
        const back = await watch.says('live');
        expect(back).toMatchObject({ staleSinceMs: null, problem: null });
        await hands.hold(during);
        await held(during);
        expect(watch.contacts.length).toBeGreaterThan(0);
      });

      test('a plan writes nothing, and names every write with its condition', async () => {
        const key = fresh('plan/lock');
        await hands.hold(key);
        const prefix = fresh('plan/pool');
        const [first = ''] = await hands.semaphore(prefix, 3, 2);
        const before = await hands.stored();
        for (const action of [release(key), evict(prefix, first), resize(prefix, 5)]) {
          const { plan } = planned(await provider.plan(action, signal()));
          expect(plan.writes.length).toBeGreaterThan(0);
          for (const write of plan.writes) expect(write.condition).not.toBeNull();
        }
        expect(await hands.stored()).toBe(before);
      });

      test('a release does what was planned and no more: this holder is out, and all else stays', async () => {
        const [key, other] = [fresh('apply/lock'), fresh('apply/other')];
        const holder = await hands.hold(key);
        const beside = await hands.hold(other);
        await held(other);
        const { expect: seen } = planned(await provider.plan(release(key), signal()));
        expect(provider.saw(release(key), seen).sessions).toEqual([holder]);
        const outcome = done(await provider.apply(release(key), seen, signal()));
        expect(outcome).toMatchObject({ done: true, after: { kind: 'lock', key, holder: null } });
        await until(() => (watch.lock(key)?.holder ?? null) === null, { what: 'the release to show' });
        expect(watch.lock(other)?.holder?.sessionId).toBe(beside);
      });

      test('an eviction takes the slot of the one that was named, and nobody else’s', async () => {
        const prefix = fresh('evict/pool');
        const [first = '', ...others] = await hands.semaphore(prefix, 3, 3);
        const { expect: seen } = planned(await provider.plan(evict(prefix, first), signal()));
        const outcome = done(await provider.apply(evict(prefix, first), seen, signal()));
        const after = outcome.after?.kind === 'semaphore' ? outcome.after : null;
        expect(new Set(after?.holders.map(({ sessionId }) => sessionId))).toEqual(new Set(others));
        expect(after?.limit).toBe(3);
      });

      test('a limit is set once, and not over another that somebody else has set meanwhile', async () => {
        const prefix = fresh('resize/pool');
        await hands.semaphore(prefix, 2, 1);
        const first = planned(await provider.plan(resize(prefix, 4), signal()));
        const late = planned(await provider.plan(resize(prefix, 6), signal()));
        done(await provider.apply(resize(prefix, 4), first.expect, signal()));
        const before = await hands.stored();
        const refused = refusal(await provider.apply(resize(prefix, 6), late.expect, signal()));
        expect(refused.code).toBe('stale');
        expect(refused.difference?.map(({ code }) => code)).toContain('limit-changed');
        expect(await hands.stored()).toBe(before);
      });

      test('another holder than the one that was seen is never removed: refused, with the difference', async () => {
        const key = fresh('stale/lock');
        const first = await hands.hold(key);
        const { expect: seen } = planned(await provider.plan(release(key), signal()));
        await hands.letGo(key, first);
        const next = await hands.hold(key);
        const before = await hands.stored();
        const refused = refusal(await provider.apply(release(key), seen, signal()));
        expect(refused.code).toBe('stale');
        expect(refused.difference?.length).toBeGreaterThan(0);
        expect(await hands.stored()).toBe(before);
        await until(() => watch.lock(key)?.holder?.sessionId === next, { what: 'the next holder to show' });
      });

      test('what is not there is not found, and what a plan did not give is not taken', async () => {
        const none = fresh('none/lock');
        expect(refusal(await provider.plan(release(none), signal())).code).toBe('not-found');
        expect(refusal(await provider.plan(resize(fresh('none/pool'), 2), signal())).code).toBe('not-found');
        const key = fresh('none/held');
        await hands.hold(key);
        const { expect: seen } = planned(await provider.plan(release(key), signal()));
        const before = await hands.stored();
        expect(isProblem(await provider.apply(release(none), seen, signal()))).toBe(true);
        expect(await hands.stored()).toBe(before);
      });

      test('asking for a lock-delay or for rights changes nothing, and every question has its answer', async () => {
        const key = fresh('ask/lock');
        await hands.hold(key);
        await held(key);
        const before = await hands.stored();
        const probed = await provider.probe?.({ source, key }, signal());
        if (probed !== undefined) expect(probed).toMatchObject({ answer: 'not-delayed' });
        const actions = [release(key), release(fresh('ask/other'))];
        const rights = await provider.rights?.(actions, signal());
        // Without access control no right is denied.
        if (rights !== undefined) expect(rights.map(({ right }) => right)).toEqual(['yes', 'yes']);
        expect(await hands.stored()).toBe(before);
        expect(watch.lock(key)?.state).toBe('held');
      });
    });

    test('an aborted watch and a closed backend leave nothing open, and say nothing more', async () => {
      const before = handles();
      const another = await server.stage();
      const provider = another.backend.provider(null);
      const second = watching(provider);
      await second.says('live');
      await second.stop();
      const told = second.worlds.length + second.sources.length;
      provider.close();
      another.backend.close();
      await another.close();
      await until(() => Object.entries(handles()).every(([kind, n]) => n <= (before[kind] ?? 0)), {
        what: 'no handle to be left',
      });
      expect(second.worlds.length + second.sources.length).toBe(told);
    });
  });
}
