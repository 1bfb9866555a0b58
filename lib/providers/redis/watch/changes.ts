/**
 * Follows changes without changing Redis's configuration. Client tracking in broadcast mode reports every key that is
 * written or ends. Keyspace events are next, where they are switched on. Else names are polled. A change only says what
 * to read.
 */
import { isProblem, ProblemError } from '@/lib/domain/problem';
import type { Link } from '@/lib/providers/redis/client/link';
import { listOf, type RedisNode, textOf } from '@/lib/providers/redis/client/node';
import { apart } from '@/lib/providers/redis/client/settings';

export type Followed = 'tracking' | 'events' | 'polling';

/**
 * Prefixes of the keys that concern names with these prefixes. `['']`: any key. Sets of waiters' times are left out,
 * because they change with their queue. Latches of unlocks mean nothing.
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

/** False when the server refuses. Throws when the link breaks. */
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
  // @redis/client has switched on tracking of reads, which Redis cannot turn into broadcast mode.
  const named = prefixes.includes('') ? [] : prefixes.flatMap((prefix) => ['PREFIX', prefix]);
  return tried(async () => {
    await node.call(['CLIENT', 'TRACKING', 'OFF']);
    await node.call(['CLIENT', 'TRACKING', 'ON', 'BCAST', ...named]);
  });
}

/** True when events cover hashes, strings, lists, sorted sets, generic commands and expiry, by key. */
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

/** Uses the best mode that all masters support. Throws a `ProblemError` when the link breaks. */
export async function followChanges(
  link: Link,
  {
    tracks,
    ...options
  }: {
    readonly prefixes: readonly string[];
    readonly database: number;
    /** True when this link was opened for tracking. */
    readonly tracks: boolean;
    readonly onKey: (key: string) => void;
  },
): Promise<Followed> {
  const all = async (step: (node: RedisNode) => Promise<boolean>) =>
    (await Promise.all(link.nodes.map(step))).every(Boolean);
  if (tracks && (await all((node) => track(node, options.prefixes)))) return 'tracking';
  return (await all((node) => listen(node, options))) ? 'events' : 'polling';
}

/** The pattern of `SCAN` for names with this prefix. */
export const patternOf = (prefix: string): string => `${escaped(prefix)}*`;
