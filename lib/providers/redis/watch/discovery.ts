/** Finds names by `SCAN`, one page at a time, on every master. A round never ends for a key that is there all the time. */
import type { Link } from '@/lib/providers/redis/client/link';
import { apart } from '@/lib/providers/redis/client/settings';
import { patternOf } from './changes';

const pageKeys = 1_000;
/** More patterns than this would walk through all keys more often than it saves. */
const patternsMax = 4;

export interface Discovery {
  /** The next page of keys; `null`: the round is over, and the next call begins another one. */
  next(link: Link): Promise<readonly string[] | null>;
  /** From the beginning again. */
  restart(): void;
}

/** A name that is not UTF-8 is none of Redisson's, and could not be asked for again. */
function textOf(key: unknown): string | null {
  if (!Buffer.isBuffer(key)) return null;
  const text = key.toString('utf8');
  return text.includes('�') && !Buffer.from(text).equals(key) ? null : text;
}

/** `prefixes`: of names. Queues and tokens are looked for, too: a dead head may stand in one without its lock. */
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
