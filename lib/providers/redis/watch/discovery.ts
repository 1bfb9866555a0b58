/** Finds names by `SCAN`, page by page, on every master. A round finds each key that is there throughout. */
import type { Link } from '@/lib/providers/redis/client/link';
import { apart } from '@/lib/providers/redis/client/settings';
import { patternOf } from './changes';

const pageKeys = 1_000;
/** More patterns would each walk through all keys, which costs more than filtering here. */
const patternsMax = 4;

export interface Discovery {
  /** The next page of keys; `null`: the round is over, and the next call begins another. */
  next(link: Link): Promise<readonly string[] | null>;
  /** Starts the round again. */
  restart(): void;
}

/** `null`: not UTF-8, so the name is none of Redisson's. */
function textOf(key: unknown): string | null {
  if (!Buffer.isBuffer(key)) return null;
  const text = key.toString('utf8');
  return text.includes('�') && !Buffer.from(text).equals(key) ? null : text;
}

/**
 * `prefixes`: prefixes of names. The scan includes queues and tokens, because a dead head may remain without its lock.
 */
export function createDiscovery(prefixes: readonly string[]): Discovery {
  const wanted = prefixes.includes('') ? [] : apart([...prefixes, 'redisson_lock_']);
  const patterns = wanted.length > 0 && wanted.length <= patternsMax ? wanted.map(patternOf) : [null];
  let place = 0;
  let cursor = '0';
  return {
    restart: () => {
      place = 0;
      cursor = '0';
    },
    next: async (link) => {
      const node = link.nodes[Math.floor(place / patterns.length)];
      if (node === undefined) {
        place = 0;
        return null;
      }
      const pattern = patterns[place % patterns.length] ?? null;
      const reply = await node.call([
        'SCAN',
        cursor,
        ...(pattern === null ? [] : ['MATCH', pattern]),
        'COUNT',
        String(pageKeys),
      ]);
      const [next, keys] = Array.isArray(reply) ? reply : [];
      cursor = Buffer.isBuffer(next) ? next.toString() : '0';
      if (cursor === '0') place += 1;
      return (Array.isArray(keys) ? keys : []).flatMap((key) => textOf(key) ?? []);
    },
  };
}
