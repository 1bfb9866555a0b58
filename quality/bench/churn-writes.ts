/** The entries that churn, and the writes to them. Each is one transaction, which gives its index. */
import { lockFlags, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import type { FurnishedLock } from './furnished';
import type { Plain } from './plain';

export const kinds = ['value of a lock', 'holder of a lock', 'holder of a semaphore'] as const;
export type Kind = (typeof kinds)[number];

/** An entry that is written again and again, one write after the other. */
export interface Subject {
  /** The key of a lock, the prefix of a semaphore. */
  readonly name: string;
  readonly key: string;
  /** The operations of the next write of this kind. */
  next(kind: Kind, n: number): string;
}

export interface Entry {
  readonly Key: string;
  readonly Value: string | null;
  readonly Session?: string;
  readonly ModifyIndex: number;
}

const base64 = (text: string) => Buffer.from(text).toString('base64');
// Flags are uint64, so they are printed bare and never go through a number.
const op = (verb: string, key: string, more: string) => `{"KV":{"Verb":"${verb}","Key":"${key}"${more}}}`;

/** A lock that goes back and forth between its own holder and another one. */
function lockSubject({ key, session }: FurnishedLock, other: string): Subject {
  const holders = [session, other];
  let at = 0;
  return {
    name: key,
    key,
    next: (kind, n) => {
      const was = holders[at % 2];
      if (kind === 'holder of a lock') at += 1;
      const value = `,"Session":"${holders[at % 2]}","Flags":${lockFlags},"Value":"${base64(`{"n":${n}}`)}"`;
      const freed = holders[at % 2] === was ? [] : [op('unlock', key, `,"Session":"${was}"`)];
      return [...freed, op('lock', key, value)].join(',');
    },
  };
}

/** A semaphore whose slots rotate among all sessions with an entry. */
function semaphoreSubject(prefix: string, limit: number, members: readonly string[]): Subject {
  const key = `${prefix}/.lock`;
  let at = 0;
  return {
    name: prefix,
    key,
    next: () => {
      at += 1;
      const holders = Array.from({ length: limit }, (_, i) => [members[(at + i) % members.length], true]);
      const body = JSON.stringify({ Limit: limit, Holders: Object.fromEntries(holders) });
      return op('set', key, `,"Flags":${semaphoreFlags},"Value":"${base64(body)}"`);
    },
  };
}

/** The subjects of a crowd under `prefix`, by the kind of their writes. */
export async function subjectsOf(
  plain: Plain,
  prefix: string,
  locks: readonly FurnishedLock[],
): Promise<Readonly<Record<Kind, readonly Subject[]>>> {
  const rows = await plain.json<Entry[]>('GET', `/v1/kv/${prefix}?recurse`);
  const lockSubjects = locks.map((lock, i) =>
    lockSubject(lock, locks[(i + 10) % locks.length]?.session ?? ''),
  );
  const members = new Map<string, string[]>();
  for (const { Key, Session } of rows) {
    const [, pool] = /^(.*pool-\d+)\//.exec(Key) ?? [];
    if (pool === undefined) continue;
    const mine = members.get(pool) ?? [];
    if (Session !== undefined) mine.push(Session);
    members.set(pool, mine);
  }
  return {
    'value of a lock': lockSubjects,
    'holder of a lock': lockSubjects,
    'holder of a semaphore': [...members].map(([pool, sessions]) => semaphoreSubject(pool, 3, sessions)),
  };
}

/** Sends one transaction. Resolves with its index. */
export async function write(plain: Plain, operations: string): Promise<number> {
  const { Results } = await plain.json<{ Results: { KV: { ModifyIndex: number } }[] }>(
    'PUT',
    '/v1/txn',
    `[${operations}]`,
  );
  const last = Results.at(-1);
  if (last === undefined) throw new Error('A transaction had no result.');
  return last.KV.ModifyIndex;
}
