/** Tells if other databases of the same Redis have keys. Channels belong to no database, so their listeners mix. */
import { ProblemError } from '@/lib/domain/problem';
import type { Link } from '@/lib/providers/redis/client/link';
import { textOf } from '@/lib/providers/redis/client/node';

const againMs = 60_000;

/** The numbers of the databases that have keys, in an answer of `INFO keyspace`. */
const databasesIn = (info: string): readonly number[] =>
  [...info.matchAll(/^db(\d+):keys=/gm)].map(([, number]) => Number(number));

/** The function tells if listeners may belong to another database. It throws a `ProblemError` when the link breaks. */
export function createSharedCheck(link: Link, database: number, now: () => number): () => Promise<boolean> {
  const [node] = link.nodes;
  // A cluster has one database.
  if (node === undefined || link.clustered) return async () => false;
  let isShared = false;
  let nextMs = Number.NEGATIVE_INFINITY;
  return async () => {
    if (now() < nextMs) return isShared;
    try {
      const info = textOf(await node.call(['INFO', 'keyspace']));
      isShared = databasesIn(info).some((number) => number !== database);
      nextMs = now() + againMs;
    } catch (error) {
      const code = error instanceof ProblemError ? error.problem.why?.code : undefined;
      if (code !== 'redis-not-permitted' && code !== 'redis-refused') throw error;
      // Most programs use database 0. Each refusal enters the ACL LOG, so this is not asked again.
      isShared = database !== 0;
      nextMs = Number.POSITIVE_INFINITY;
    }
    return isShared;
  };
}
