/**
 * How changes become known, without a change to Redis's configuration. Client tracking in broadcast mode tells every key that
 * is written or ends; else keyspace events, where somebody has switched them on; else names are asked again and again.
 * Whatever is told only says what to read.
 */
import { isProblem, ProblemError } from '@/lib/domain/problem';
import type { Link } from '@/lib/providers/redis/client/link';
import { listOf, type RedisNode, textOf } from '@/lib/providers/redis/client/node';
import { apart } from '@/lib/providers/redis/client/settings';

export type Followed = 'tracking' | 'events' | 'polling';

/**
 * What keys begin with that say something of names with these prefixes. `['']`: any key. The sets of waiters' times are left out,
 * as they change with their queue, and so are the latches of unlocks.
 */
export const trackedPrefixes = (prefixes: readonly string[]): readonly string[] =>
  apart(
    prefixes.flatMap((prefix) =>
      prefix === ''
        ? ['']
        : [
            prefix,
            `{${prefix}`,
            ...['redisson_lock_queue:', 'redisson_lock_token:'].flatMap((one) => [
              `${one}{${prefix}`,
              `${one}${prefix}`,
            ]),
          ],
    ),
  );

const refuses = (error: unknown): boolean =>
  error instanceof ProblemError &&
  isProblem(error.problem) &&
  error.problem.why?.code.startsWith('redis-') === true;

/** Rests in a refusal: the server cannot, or may not. A broken link is thrown. */
async function tried(step: () => Promise<unknown>): Promise<boolean> {
  try {
    await step();
    return true;
  } catch (error) {
    if (refuses(error)) return false;
    throw error;
  }
}

async function track(node: RedisNode, prefixes: readonly string[]): Promise<boolean> {
  // The client has switched on tracking of what this connection reads, which cannot be turned into the other kind.
  const named = prefixes.includes('') ? [] : prefixes.flatMap((prefix) => ['PREFIX', prefix]);
  return tried(async () => {
    await node.call(['CLIENT', 'TRACKING', 'OFF']);
    await node.call(['CLIENT', 'TRACKING', 'ON', 'BCAST', ...named]);
  });
}

/** Hashes, strings, lists, sorted sets, generic commands and expiry, by key. */
const isEnough = (flags: string): boolean =>
  flags.includes('K') && (flags.includes('A') || [...'g$lhzx'].every((flag) => flags.includes(flag)));

const escaped = (text: string): string => text.replace(/[\\*?[\]^-]/g, '\\$&');

async function listen(
  node: RedisNode,
  {
    prefixes,
    database,
    onKey,
  }: { prefixes: readonly string[]; database: number; onKey: (key: string) => void },
): Promise<boolean> {
  let flags = '';
  const read = await tried(async () => {
    const reply = await node.call(['CONFIG', 'GET', 'notify-keyspace-events']);
    flags = textOf(listOf(reply)[1]);
  });
  if (!read || !isEnough(flags)) return false;
  const head = `__keyspace@${database}__:`;
  return tried(() =>
    node.listen(
      prefixes.map((prefix) => `${escaped(head)}${escaped(prefix)}*`),
      (channel) => onKey(channel.slice(head.length)),
    ),
  );
}

/** The weakest of all masters decides. Throws a `ProblemError` when the link breaks. */
export async function followChanges(
  link: Link,
  {
    tracks,
    ...options
  }: {
    readonly prefixes: readonly string[];
    readonly database: number;
    /** Whether this link was opened for tracking. */
    readonly tracks: boolean;
    readonly onKey: (key: string) => void;
  },
): Promise<Followed> {
  const all = async (step: (node: RedisNode) => Promise<boolean>) =>
    (await Promise.all(link.nodes.map(step))).every(Boolean);
  if (tracks && (await all((node) => track(node, options.prefixes)))) return 'tracking';
  return (await all((node) => listen(node, options))) ? 'events' : 'polling';
}

/** Matches names that begin so, as `SCAN` takes it. */
export const patternOf = (prefix: string): string => `${escaped(prefix)}*`;
