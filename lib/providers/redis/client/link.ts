/**
 * Connections to all masters of one Redis. When one breaks, the whole link closes. The next link looks up the masters
 * again.
 */
import type { Problem } from '@/lib/domain/problem';
import { failed, problemOfAnswer } from './failure';
import { clusterDown, createSeeds, noMaster, planOf, planOfSlots, type Seeds } from './masters';
import { listOf, openNode, type RedisNode, Refused, type Reply, textOf } from './node';
import type { RedisSettings } from './settings';
import { slotOf } from './slot';

export interface Link {
  /** True in a cluster, where Redisson's clients listen on sharded channels. */
  readonly clustered: boolean;
  /** Every master, the first one first; at least one. */
  readonly nodes: readonly RedisNode[];
  /** The master of a key. Throws a `ProblemError` where no server has its slot. */
  nodeOf(key: string | Buffer): RedisNode;
  /** Throws a `ProblemError` when the masters are no longer those of this link. */
  verify(): Promise<void>;
  /** Resolves with the reason once this link is unusable. Never rejects. */
  readonly broken: Promise<Problem>;
  close(): void;
}

export interface LinkOptions {
  readonly settings: RedisSettings;
  /** See `NodeOptions`. */
  readonly onChange?: (key: Buffer | null) => void;
  /** The servers at which a cluster was found before. */
  readonly seeds?: Seeds;
  readonly signal: AbortSignal;
}

const moved = () => failed({ code: 'unavailable', why: { code: 'redis-moved', facts: {} } });

/** Throws a `ProblemError` when a master cannot be reached. */
export async function openLink(options: LinkOptions): Promise<Link> {
  const { settings, signal, onChange, seeds = createSeeds(settings) } = options;
  const plan = await planOf({ settings, seeds, signal });
  const opened = await Promise.allSettled(
    plan.endpoints.map((endpoint) =>
      openNode({ endpoint, settings, signal, ...(onChange === undefined ? {} : { onChange }) }),
    ),
  );
  const nodes = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const close = () => {
    for (const node of nodes) node.close();
  };
  const giveUp = (error: unknown) => {
    seeds.failed();
    close();
    return error;
  };
  const [first] = nodes;
  const failure = opened.find((one) => one.status === 'rejected');
  if (failure !== undefined || first === undefined) {
    throw giveUp(failure?.reason ?? clusterDown());
  }
  const { kind } = settings.topology;
  if (kind === 'sentinel') {
    const [role] = listOf(await first.call(['ROLE']).catch(() => []));
    if (role !== undefined && textOf(role) !== 'master') throw giveUp(noMaster(settings.topology.master));
  }
  const broken = Promise.race(nodes.map((node) => node.broken));
  void broken.then(close);
  return {
    clustered: kind === 'cluster',
    nodes,
    nodeOf: (key) => {
      if (plan.owners === null) return first;
      const node = nodes[plan.owners[slotOf(key)] ?? -1];
      if (node === undefined) throw clusterDown();
      return node;
    },
    verify: async () => {
      if (kind === 'single') return;
      const now =
        kind === 'cluster'
          ? planOfSlots(await first.call(['CLUSTER', 'SLOTS']), first.endpoint, seeds)
          : await planOf({ settings, seeds, signal });
      if (now.sign !== plan.sign) throw moved();
    },
    broken,
    close,
  };
}

/**
 * The replies, when this link may still be used. Throws when it may not, or nothing can be read. `permits`: also throws
 * when Redis does not permit the command; otherwise that reply stays in its place.
 */
export function soundOf(replies: readonly Reply[], command: string, permits: boolean): readonly Reply[] {
  for (const reply of replies) {
    if (!(reply instanceof Refused)) continue;
    // A key of another kind is an answer.
    if (reply.message.startsWith('WRONGTYPE')) continue;
    const problem = problemOfAnswer(reply.message, command);
    if (permits || problem.code !== 'forbidden' || problem.why?.code === 'redis-sign-in-refused')
      throw failed(problem);
  }
  return replies;
}
