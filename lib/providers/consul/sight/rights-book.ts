/**
 * Consul's answers about one set of rights, shared by all tokens with the same policies, roles and identities. Every
 * question is repeated in turn, because a revoked right must end here, too.
 *
 * Each new key takes its own question (`/v1/internal/acl/authorize`, 64 per call). To repeat them for all keys would
 * cost more than to read the keys. So the key names that the token may list show which answers may have changed.
 */

import type { Lock, Semaphore } from '@/lib/domain/model';
import { type Ask, anyName, asksMax } from '@/lib/providers/consul/client/acl';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { ConsulError } from '@/lib/providers/consul/client/errors';
import { semaphoreBasis } from '@/lib/providers/consul/recognise/basis';
import { contenderKey, coordinationKey } from '@/lib/providers/consul/rows/coordination';
import { partyKeys } from './cut-party';
import { recordKey } from './project';
import type { Scene } from './server-world';
import type { Sight } from './sight';

export interface RightsBook {
  /** Changes with every changed answer, even if a later question failed. */
  readonly generation: number;
  /** The sight by the answers so far, for this scene alone, because another scene may have services without answers. */
  sightOf(scene: Scene): Sight;
  /** Asks every open question. `part`: the answers were forgotten meanwhile. Throws a `ConsulError`. */
  learn(scene: Scene, asker: RightsClient, signal: AbortSignal): Promise<'all' | 'part'>;
  /** Repeats every question. `sceneNow`: the scene at each moment. Throws a `ConsulError`. */
  review(sceneNow: () => Scene, asker: RightsClient, signal: AbortSignal): Promise<void>;
  forget(): void;
}

/** A client whose token has these rights. */
export type RightsClient = Pick<ConsulClient, 'authorize' | 'get' | 'keys'>;

type Resource = Exclude<Ask['resource'], 'acl'>;

const resources = ['key', 'session', 'node', 'service'] as const;
/** Parallel calls are limited, because all heartbeats share the same connections. */
const callsMax = 3;
/** Entries that are read in one turn to learn whether they may be. */
const readsMax = 64;
const timeoutMs = 3_000;
/** The character for bytes outside of UTF-8, so the question is about another name. */
const replaced = '\ufffd';

function* keysOf(of: Lock | Semaphore): Generator<string> {
  if (of.kind === 'lock') {
    yield of.key;
    const record = recordKey(of);
    if (record !== null) yield record;
    return;
  }
  const { prefix, holders, waiters, leftovers } = of;
  yield coordinationKey(prefix);
  yield contenderKey(prefix, anyName);
  for (const holder of holders) yield* partyKeys(prefix, holder);
  for (const waiter of waiters) {
    if (waiter.entryKey !== undefined) yield waiter.entryKey;
    yield* partyKeys(prefix, waiter);
  }
  yield* leftovers;
  for (const { key } of semaphoreBasis(of)?.contenders ?? []) yield key;
}

const nobody: Pick<ReadonlySet<object>, 'has'> = new Set();

/** Every question for a projection of this scene, with repetitions. `known`: rows to skip. */
function* asksOf({ world, services }: Scene, known = nobody): Generator<readonly [Resource, string]> {
  for (const resource of resources) yield [resource, anyName];
  for (const rows of [world.locks, world.semaphores])
    for (const row of rows) if (!known.has(row)) for (const key of keysOf(row)) yield ['key', key];
  const nodes = new Set(world.sessions.map(({ node }) => node));
  for (const { delay } of world.locks) if (delay !== null) nodes.add(delay.node);
  for (const node of nodes) {
    yield ['session', node];
    yield ['node', node];
    for (const service of services.get(node) ?? []) yield ['service', service];
  }
}

/**
 * The entries with a known creation index. A lock's record counts as created with the lock, because its clients delete
 * both.
 */
function* entriesOf({ world }: Scene): Generator<readonly [key: string, created: string]> {
  for (const lock of world.locks) {
    if (!lock.exists || lock.createIndex === undefined) continue;
    yield [lock.key, lock.createIndex];
    const record = recordKey(lock);
    if (record !== null) yield [record, lock.createIndex];
  }
  for (const { prefix, createIndex } of world.semaphores)
    if (createIndex != null) yield [coordinationKey(prefix), createIndex];
}

/** Keys without an entry, which no list contains. */
function absentKeys({ world }: Scene): ReadonlySet<string> {
  const keys = new Set<string>([anyName]);
  for (const { key, exists } of world.locks) if (!exists) keys.add(key);
  for (const { prefix, modifyIndex } of world.semaphores) {
    keys.add(contenderKey(prefix, anyName));
    if (modifyIndex === null) keys.add(coordinationKey(prefix));
  }
  return keys;
}

type Answers = Readonly<Record<Resource, Map<string, boolean>>>;
const noAnswers = (): Answers => ({
  key: new Map(),
  session: new Map(),
  node: new Map(),
  service: new Map(),
});

export function createRightsBook(): RightsBook {
  let answers = noAnswers();
  let services: Scene['services'] = new Map();
  let generation = 0;
  /** Rows with answers for all their keys. */
  let known = new WeakSet<object>();
  /**
   * Keys that are hidden only because a list lacked them, with the creation index of the entry that it lacked. An entry
   * created later is read, because `consul lock` deletes a lock's entry and creates it again.
   */
  const unlisted = new Map<string, string>();
  const may = (resource: Resource, segment: string) => answers[resource].get(segment) === true;

  const ask = async (asks: readonly Ask[], asker: RightsClient, signal: AbortSignal): Promise<void> => {
    const into = answers;
    const batches: (readonly Ask[])[] = [];
    for (let at = 0; at < asks.length; at += asksMax) batches.push(asks.slice(at, at + asksMax));
    const work = async () => {
      for (let batch = batches.pop(); batch !== undefined; batch = batches.pop()) {
        const said = await asker.authorize(batch, { signal, timeoutMs });
        batch.forEach(({ resource, segment }, i) => {
          const answered = into[resource as Resource];
          const now = said[i] === true;
          if (answered.get(segment) !== now) generation += 1;
          answered.set(segment, now);
          if (resource === 'key') unlisted.delete(segment);
        });
      }
    };
    const working = Array.from({ length: Math.min(callsMax, batches.length) }, () =>
      work().catch((error: unknown) => {
        batches.length = 0;
        throw error;
      }),
    );
    // Every answer that arrives must be recorded before the failure is thrown.
    await Promise.allSettled(working);
    await Promise.all(working);
  };
  const reading = (resource: Resource, segment: string): Ask => ({ resource, access: 'read', segment });
  /**
   * Reads entries that a list lacked and that were created since. The servers answer that. The agent's cache may still
   * allow what they no longer do.
   */
  const readEntries = async (
    entries: readonly (readonly [key: string, created: string])[],
    asker: RightsClient,
    signal: AbortSignal,
  ): Promise<void> => {
    const into = answers;
    for (const [key, created] of entries.slice(0, readsMax)) {
      const now = await asker.get(key, { signal, timeoutMs }).then(
        ({ value }) => value !== null,
        (error: unknown) => {
          if (error instanceof ConsulError && error.problem.code === 'forbidden') return false;
          throw error;
        },
      );
      if (into !== answers) return;
      if (into.key.get(key) !== now) generation += 1;
      into.key.set(key, now);
      if (now) unlisted.delete(key);
      else unlisted.set(key, created);
    }
  };

  /** Keys whose answers may have changed; `null`: all, because the token may not list. */
  const suspects = async (asker: RightsClient, sceneNow: () => Scene, signal: AbortSignal) => {
    const scene = sceneNow();
    const absent = absentKeys(scene);
    // A list may lack a key that was added during it.
    const before = new Set(answers.key.keys());
    try {
      const lists = await Promise.all(scene.roots.map((root) => asker.keys(root, { signal, timeoutMs })));
      const listed = new Set(lists.flatMap(({ value }) => value));
      const open: string[] = [];
      const missing: string[] = [];
      for (const [key, allowed] of answers.key) {
        if (!before.has(key)) continue;
        const isListed = listed.has(key);
        if (absent.has(key) || (isListed && !allowed)) open.push(key);
        else if (!isListed && allowed) missing.push(key);
      }
      if (missing.length === 0) return open;
      const [created, createdNow] = [new Map(entriesOf(scene)), new Map(entriesOf(sceneNow()))];
      const recreated: (readonly [string, string])[] = [];
      for (const key of missing) {
        const [was, now] = [created.get(key), createdNow.get(key)];
        // The list may be older than this entry. What is too much to read now is hidden until it is read.
        if (now !== undefined && now !== was && recreated.length < readsMax) {
          recreated.push([key, now]);
          continue;
        }
        // The servers answer a list. The other answer may come from the agent's cache, which keeps rights for 30 s.
        answers.key.set(key, false);
        generation += 1;
        if (was !== undefined) unlisted.set(key, was);
      }
      await readEntries(recreated, asker, signal);
      return open;
    } catch (error) {
      if (error instanceof ConsulError && error.problem.code === 'forbidden') return null;
      throw error;
    }
  };

  return {
    get generation() {
      return generation;
    },
    sightOf: (scene) => {
      if (services !== scene.services) generation += 1;
      services = scene.services;
      const running = (node: string) => [...(scene.services.get(node) ?? [])];
      return {
        key: (key) => may('key', key) && (!key.includes(replaced) || may('key', anyName)),
        contenders: (prefix) => may('key', contenderKey(prefix, anyName)),
        sessions: (node) => may('session', node),
        health: (node) => may('node', node) && running(node).every((service) => may('service', service)),
        whole: resources.every((resource) => may(resource, anyName)),
        generation,
      };
    },
    learn: async (scene, asker, signal) => {
      const open = new Map<string, Ask>();
      for (const [resource, segment] of asksOf(scene, known))
        if (!answers[resource].has(segment)) open.set(`${resource} ${segment}`, reading(resource, segment));
      const into = answers;
      if (open.size > 0) await ask([...open.values()], asker, signal);
      if (unlisted.size > 0) {
        const recreated = [...entriesOf(scene)].filter(([key, at]) => (unlisted.get(key) ?? at) !== at);
        await readEntries(recreated, asker, signal);
      }
      if (into !== answers) return 'part';
      for (const rows of [scene.world.locks, scene.world.semaphores]) for (const row of rows) known.add(row);
      return 'all';
    },
    review: async (sceneNow, asker, signal) => {
      const needed: Record<Resource, Set<string>> = {
        key: new Set(),
        session: new Set(),
        node: new Set(),
        service: new Set(),
      };
      for (const [resource, segment] of asksOf(sceneNow())) needed[resource].add(segment);
      for (const resource of resources)
        for (const segment of answers[resource].keys())
          if (!needed[resource].has(segment)) answers[resource].delete(segment);
      for (const key of unlisted.keys()) if (!needed.key.has(key)) unlisted.delete(key);
      const keys = (await suspects(asker, sceneNow, signal)) ?? [...answers.key.keys()];
      const others = (['session', 'node', 'service'] as const).flatMap((resource) =>
        [...answers[resource].keys()].map((segment) => reading(resource, segment)),
      );
      await ask([...keys.map((key) => reading('key', key)), ...others], asker, signal);
    },
    forget: () => {
      answers = noAnswers();
      known = new WeakSet();
      unlisted.clear();
      generation += 1;
    },
  };
}
