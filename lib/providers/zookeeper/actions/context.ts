/** Reads the lock or semaphore of an action from the leader. */
import type { Action } from '@/lib/domain/actions/action';
import type { FoundSubject } from '@/lib/domain/actions/descriptor';
import { isProblem, type Problem } from '@/lib/domain/problem';
import type { WhyFacts } from '@/lib/domain/refusal';
import type { ZkClient, ZkFacts, ZkNode, ZkTree } from '@/lib/providers/zookeeper/client/node';
import { isWithin } from '@/lib/providers/zookeeper/client/path';
import { idleLock } from '@/lib/providers/zookeeper/recognise/locks';
import {
  type ReadLock,
  type ReadSemaphore,
  readLock,
  readSemaphore,
} from '@/lib/providers/zookeeper/recognise/read';
import type { Recogniser } from '@/lib/providers/zookeeper/recognise/recognise';

/** The connection of an action, and the knowledge of the watch. */
export interface Acting {
  readonly client: ZkClient;
  /** The facts as last read. */
  facts(): ZkFacts;
  now(): number;
  readonly recogniser: Pick<Recogniser, 'sighting' | 'ownedBy'>;
  /** The watched paths, each with everything below it. */
  readonly roots: readonly string[];
}

export interface Fresh {
  readonly nodes: ZkTree;
  readonly lock: ReadLock | null;
  readonly semaphore: ReadSemaphore | null;
  /** The subject as the model has it, for the rules that every backend keeps. */
  readonly found: FoundSubject;
}

/** Actions refuse a longer queue. */
const nodesMax = 20_000;

export const problem = <C extends keyof WhyFacts>(
  code: Problem['code'],
  why: C,
  facts: WhyFacts[C],
): Problem => ({ code, why: { code: why, facts } as NonNullable<Problem['why']> });

export const subjectOf = (action: Action): string | null =>
  'key' in action ? action.key : 'prefix' in action ? action.prefix : null;

/** `not-found`: there is no such node, or it is no lock or semaphore. */
export async function readFresh(
  acting: Acting,
  action: Action,
  signal: AbortSignal,
): Promise<Fresh | Problem> {
  const { client, recogniser, now } = acting;
  const facts = acting.facts();
  const name = subjectOf(action);
  if (name === null) return problem('invalid', 'not-offered', {});
  // The server refuses any other name, and closes the connection for some.
  if (!name.startsWith('/')) return missing(action, name);
  if (!acting.roots.some((root) => isWithin(root, name)))
    return problem('not-found', 'outside-view', { name });
  const nodes = await client.subtree(name, nodesMax, signal);
  if (isProblem(nodes)) return nodes;
  if ('key' in action) {
    const lock = readLock(action, nodes, facts);
    if (lock === null && !nodes.has(name)) return missing(action, name);
    const row = lock?.row ?? idleLock(action, 'curator-mutex', false);
    return { nodes, lock, semaphore: null, found: { lock: row, semaphore: null, session: null } };
  }
  const counted = await withCount(acting, name, nodes, signal);
  if (isProblem(counted)) return counted;
  const given = { facts, sighting: recogniser.sighting(name), nowMs: now() };
  const semaphore = readSemaphore({ source: action.source, prefix: name }, counted, given);
  if (semaphore === null) return missing(action, name);
  const found = { lock: null, semaphore: semaphore.row, session: null };
  return { nodes: counted, lock: null, semaphore, found };
}

const missing = (action: Action, name: string): Problem =>
  'key' in action
    ? problem('not-found', 'no-lock', { key: name })
    : problem('not-found', 'no-semaphore', { prefix: name });

/** Adds the shared count, which may be anywhere. It is read after the leases, which came under it. */
async function withCount(
  acting: Acting,
  prefix: string,
  nodes: ZkTree,
  signal: AbortSignal,
): Promise<ZkTree | Problem> {
  const path = acting.facts().counts.get(prefix);
  if (path === undefined || nodes.has(path)) return nodes;
  const count: ZkNode | null | Problem = await acting.client.read(path, signal);
  if (isProblem(count)) return count;
  return count === null ? nodes : new Map(nodes).set(path, count);
}
