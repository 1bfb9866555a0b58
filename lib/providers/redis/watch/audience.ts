/**
 * Finds listeners by the channels of Redisson. Redis pushes nothing when a client starts or stops to wait, so this asks
 * every few seconds. The cost grows with all channels of Redis, watched or not.
 */
import { ProblemError } from '@/lib/domain/problem';
import type { Link } from '@/lib/providers/redis/client/link';
import { awaitedOn, type ChannelKind } from '@/lib/providers/redis/client/names';
import { listOf, type RedisNode, textOf } from '@/lib/providers/redis/client/node';

export interface Look {
  /** Listeners by channel. A missing channel has none. */
  readonly clients: ReadonlyMap<string, number>;
  /** The kind of lock that clients wait for, by name. */
  readonly awaited: ReadonlyMap<string, ChannelKind>;
  /**
   * True when a channel without subscribers has no listeners. A replica proves nothing, because clients may listen on
   * its master or on other replicas. Nor does a master that has replicas and no listeners.
   */
  proves(channel: string): boolean;
  /** True when some listeners may belong to another database. */
  readonly shared: boolean;
  /** When the look began, epoch milliseconds. */
  readonly fromMs: number;
}

/** Most channels in one `NUMSUB`. */
const channelsMax = 500;

async function onNode(node: RedisNode, sharded: boolean): Promise<(readonly [string, number])[]> {
  const [list, count] = sharded ? ['SHARDCHANNELS', 'SHARDNUMSUB'] : ['CHANNELS', 'NUMSUB'];
  const channels = listOf(await node.call(['PUBSUB', list, 'redisson_*']))
    .map(textOf)
    .filter((channel) => awaitedOn(channel) !== null);
  const counts: (readonly [string, number])[] = [];
  for (let at = 0; at < channels.length; at += channelsMax) {
    const flat = listOf(await node.call(['PUBSUB', count, ...channels.slice(at, at + channelsMax)]));
    for (let i = 0; i + 1 < flat.length; i += 2) {
      const clients = flat[i + 1];
      if (typeof clients === 'number' && clients > 0) counts.push([textOf(flat[i]), clients]);
    }
  }
  return counts;
}

/** Connections that may not ask for their role. Each refusal enters the ACL LOG, so they ask only once. */
const withoutRole = new WeakSet<RedisNode>();

/** `counted`: the channels that have listeners here. */
async function isBlind(node: RedisNode, counted: number): Promise<boolean> {
  // Without the right to ask, clients may listen elsewhere.
  if (withoutRole.has(node)) return true;
  const reply = listOf(await node.call(['ROLE']).catch(unlessRefused('redis-not-permitted')));
  if (reply.length === 0) withoutRole.add(node);
  const [role, , replicas] = reply;
  return textOf(role) !== 'master' || (counted === 0 && listOf(replicas).length > 0);
}

/** `null`: Redis does not permit the question. Throws a `ProblemError` when the link breaks. */
export async function lookForAudience(
  link: Link,
  { now, shared }: { readonly now: () => number; readonly shared: boolean },
): Promise<Look | null> {
  const fromMs = now();
  const clients = new Map<string, number>();
  const blind = new Set<RedisNode>();
  try {
    for (const node of link.nodes) {
      // Clusters before Redis 7, and clients set to them, use plain channels.
      const counts = await onNode(node, false);
      // Redis before 7 has no sharded channels.
      if (link.clustered) counts.push(...(await onNode(node, true).catch(unlessRefused('redis-refused'))));
      for (const [channel, n] of counts) clients.set(channel, (clients.get(channel) ?? 0) + n);
      if (await isBlind(node, counts.length)) blind.add(node);
    }
  } catch (error) {
    if (error instanceof ProblemError && error.problem.why?.code === 'redis-not-permitted') return null;
    throw error;
  }
  const awaited = new Map<string, ChannelKind>();
  for (const channel of clients.keys()) {
    const of = awaitedOn(channel);
    for (const name of of?.names ?? []) if (of !== null) awaited.set(name, of.kind);
  }
  return { clients, awaited, proves: (channel) => !blind.has(link.nodeOf(channel)), shared, fromMs };
}

/** Takes a refusal of this kind for an empty answer. */
const unlessRefused =
  (code: 'redis-refused' | 'redis-not-permitted') =>
  (error: unknown): [] => {
    if (error instanceof ProblemError && error.problem.why?.code === code) return [];
    throw error;
  };
