/**
 * One deed of each kind of action: how it sets its scene in Consul, past Signalbox, and how Consul shows the effect.
 * Only Signalbox writes a deed's entries, except for evictions of a contender. So every effect is the person's own.
 */
import { randomUUID } from 'node:crypto';
import type { Action } from '@/lib/domain/actions/action';
import type { Chance } from './chance';
import { pool } from './contenders';
import type { Truth } from './holders';
import { coordinationOf, lockFlags, type Reader, semaphoreFlags } from './reader';

export const limitPrefix = 'chaos/limit';
const idlePrefix = 'chaos/idle';
const ghostPrefixes = ['chaos/ghosts-a', 'chaos/ghosts-b'] as const;
/** Semaphores that only deeds write. */
export const deedPrefixes: readonly string[] = [limitPrefix, idlePrefix, ...ghostPrefixes];

export interface PartWanted {
  readonly name: string;
  happened(truth: Truth): boolean;
}

export interface Scene {
  readonly action: Action;
  /** The names in its writes. A write with none of these belongs to another deed. */
  readonly names: readonly string[];
  happened(truth: Truth): boolean;
  /** The parts of an action on several subjects, each judged separately. */
  readonly parts?: readonly PartWanted[];
  /** False: the effect may also happen without an action. */
  readonly own: boolean;
  /** True: until `clear`, nothing but this action brings the effect about, so a refused one can be looked at later. */
  readonly alone?: boolean;
  /** The session that the action may end. */
  readonly ends?: string;
  /** The limit that the action sets. */
  readonly limit?: number;
  /** Runs between plan and application, as another operator would act. */
  meanwhile?(): Promise<void>;
  /** Cleans up after any outcome. */
  clear?(): Promise<void>;
}

/** Sends a PUT to Consul, and returns its answer. */
export type Put = (path: string, body: string) => Promise<string>;

/** Sets the scene of one deed; `null` when there is nothing to act on now. Rejects while Consul is away. */
export type Deeds = readonly (() => Promise<Scene | null>)[];

const lockOf = (prefix: string) => `${prefix}/.lock`;
const named = ({ entries }: Truth, key: string) => entries.find((one) => one.key === key);
const recorded = (truth: Truth, prefix: string) =>
  coordinationOf(named(truth, lockOf(prefix))?.value ?? '')?.holders ?? [];
const entryOf = (limit: number, ...holders: readonly string[]) =>
  `{"Limit":${limit},"Holders":{${holders.map((id) => `"${id}":true`).join(',')}}}`;

export function createDeeds({ put, reader, chance }: { put: Put; reader: Reader; chance: Chance }): Deeds {
  let limit = 10;
  const limitIn = (truth: Truth) =>
    coordinationOf(named(truth, lockOf(limitPrefix))?.value ?? '')?.limit ?? null;
  const newSession = async (name: string) => {
    const terms = { Name: name, Behavior: 'release', LockDelay: '0s', Checks: [], NodeChecks: [] };
    return (JSON.parse(await put('session/create', JSON.stringify(terms))) as { ID: string }).ID;
  };
  const write = (prefix: string, value: string, cas = '') =>
    put(`kv/${lockOf(prefix)}?flags=${semaphoreFlags}${cas}`, value);
  const held = async (name: string) => {
    const sessionId = await newSession('chaos victim');
    const key = `chaos/${name}-${randomUUID().slice(0, 8)}`;
    await put(`kv/${key}?acquire=${sessionId}&flags=${lockFlags}`, 'x');
    return { sessionId, key, clear: async () => void (await put(`session/destroy/${sessionId}`, '')) };
  };
  const isGone =
    (sessionId: string) =>
    ({ sessions }: Truth) =>
      !sessions.includes(sessionId);

  const resize = async (): Promise<Scene> => {
    if (limitIn(await reader.truth()) === null) {
      // A limit of its own each time, because the last one may have been refused.
      limit += 1;
      await write(limitPrefix, entryOf(limit), '&cas=0');
    }
    limit += 1;
    const wanted = limit;
    return {
      action: { type: 'semaphore.resize', source: 'consul', prefix: limitPrefix, limit: wanted },
      names: [limitPrefix],
      happened: (truth) => limitIn(truth) === wanted,
      own: true,
      limit: wanted,
    };
  };
  const destroy = async (): Promise<Scene> => {
    const { sessionId, key, clear } = await held('victim');
    return {
      action: { type: 'session.destroy', source: 'consul', sessionId },
      names: [sessionId, key],
      happened: isGone(sessionId),
      own: true,
      alone: true,
      ends: sessionId,
      clear,
    };
  };
  const release = async (): Promise<Scene> => {
    const { sessionId, key, clear } = await held('held');
    const how = chance() < 0.5 ? 'hand-over' : 'destroy-session';
    return {
      action: { type: 'lock.release', source: 'consul', key, how },
      names: [sessionId, key],
      happened: (truth) => named(truth, key)?.session !== sessionId,
      own: true,
      alone: true,
      clear,
    };
  };
  const evict = async (): Promise<Scene | null> => {
    const holders = recorded(await reader.truth(), pool.prefix);
    const sessionId = holders[Math.floor(chance() * holders.length)];
    if (sessionId === undefined) return null;
    return {
      action: {
        type: 'semaphore.evict',
        source: 'consul',
        prefix: pool.prefix,
        sessionId,
        how: 'destroy-session',
      },
      // The action ends the session, and then removes its slot from the record.
      names: [sessionId, lockOf(pool.prefix)],
      happened: isGone(sessionId),
      // A holder may leave meanwhile, so only its presence proves anything.
      own: false,
      ends: sessionId,
    };
  };
  const prune = async (): Promise<Scene> => {
    const ghosts = ghostPrefixes.map(() => randomUUID());
    for (const [n, prefix] of ghostPrefixes.entries()) await write(prefix, entryOf(2, ghosts[n] ?? ''));
    const parts = ghostPrefixes.map((prefix, n) => ({
      name: prefix,
      happened: (truth: Truth) => !recorded(truth, prefix).includes(ghosts[n] ?? ''),
    }));
    const other = ghosts[1] ?? '';
    return {
      action: { type: 'semaphore.prune', source: 'consul', prefixes: [...ghostPrefixes] },
      names: ghostPrefixes,
      happened: (truth) => parts.every(({ happened }) => happened(truth)),
      parts,
      own: true,
      // One ghost more than planned: Signalbox must refuse this part, and do the other.
      ...(chance() < 0.5
        ? { meanwhile: async () => void (await write(ghostPrefixes[1], entryOf(3, other, randomUUID()))) }
        : {}),
    };
  };
  const remove = async (): Promise<Scene> => {
    const key = `chaos/free-${randomUUID().slice(0, 8)}`;
    await put(`kv/${key}?flags=${lockFlags}`, 'x');
    return {
      action: { type: 'lock.delete', source: 'consul', key },
      names: [key],
      happened: (truth) => named(truth, key) === undefined,
      own: true,
      alone: true,
    };
  };
  const dissolve = async (): Promise<Scene> => {
    await write(idlePrefix, entryOf(2));
    return {
      action: { type: 'semaphore.delete', source: 'consul', prefix: idlePrefix },
      names: [idlePrefix],
      happened: (truth) => named(truth, lockOf(idlePrefix)) === undefined,
      own: true,
    };
  };
  return [resize, destroy, evict, release, resize, prune, remove, evict, dissolve];
}
