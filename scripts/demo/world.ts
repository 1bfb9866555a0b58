/** The cast of the demo world: the actors, their roles and their keys. */

export const keys = {
  /** Limit 3 and 15 workers that each work 1 to 10 s: the classic test of the algorithm. */
  gate: 'semaphore/mg-init',
  leader: 'service/billing/leader',
  shards: ['orders/shard-1/lock', 'orders/shard-2/lock'],
  /** The Java article's layout; two of its three slots leak to ghosts. */
  bank: 'semaphore/bank-gateway',
  /** Both slots are held by sessions that no TTL ends, while others wait. */
  report: 'semaphore/report-export',
  /** Two clients take these in opposite order. */
  debit: 'accounts/debit',
  credit: 'accounts/credit',
  /** More contenders than such clients should ever be. */
  herd: 'jobs/reindex',
  terraform: 'tf/prod/network',
  postgres: 'service/pg-main',
} as const;

export const gateLimit = 3;
export const bankLimit = 3;
export const bankGhosts = 2;

export const herdLimit = 2;
/** The waiters of the herd: a few more than the threshold. */
export const herdSize = 54;

export type Role =
  | 'gate'
  | 'candidate'
  | 'shards'
  | 'bank'
  | 'report'
  | 'transfer'
  | 'herd'
  | 'terraform'
  | 'patroni';

/** One worker process plays all names of its row. */
export interface Actor {
  readonly role: Role;
  readonly names: readonly string[];
  /** True for an actor that is killed with -9 now and then, and restarted. */
  readonly fragile?: true;
}

const numbered = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}-${i + 1}`);

export const cast: readonly Actor[] = [
  ...numbered('pay', 15).map(
    (name): Actor => ({ role: 'gate', names: [name], ...(name === 'pay-7' ? { fragile: true } : {}) }),
  ),
  ...numbered('billing', 3).map((name): Actor => ({ role: 'candidate', names: [name] })),
  { role: 'shards', names: ['order-router'] },
  { role: 'bank', names: numbered('bank', 4) },
  { role: 'report', names: numbered('report', 2) },
  { role: 'transfer', names: numbered('transfer', 2) },
  { role: 'herd', names: ['reindex'] },
  { role: 'terraform', names: ['ana@build-4'] },
  { role: 'patroni', names: ['pg-0', 'pg-1'] },
];

/** Sessions without TTL outlive the demo unless they are ended. The demo adopts or ends those it finds. */
export const props = { nodeBound: 'nightly-report', immortal: 'report-backfill' } as const;
