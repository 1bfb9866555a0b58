/** Maps a key to the names that it concerns, and remembers which names have a queue or a token. */
import {
  companionPrefixes,
  fencingKey,
  namesOfCompanion,
  queueKey,
  unlockLatchPrefix,
} from '@/lib/providers/redis/client/names';

export interface Noticed {
  readonly name: string;
  /** Set when the key is a companion. `new`: the name was not known to have this one. */
  readonly beside: 'new' | 'known' | null;
}

export interface Beside {
  notice(key: string): readonly Noticed[];
  hasQueue(name: string): boolean;
  hasToken(name: string): boolean;
  forget(name: string): void;
}

/** The part of a queue's key before any name, such as `redisson_lock_queue:`. */
const queuePrefix = queueKey('').slice(0, -2);
const tokenPrefix = fencingKey('').slice(0, -2);

export function createBeside(inView: (name: string) => boolean): Beside {
  const queues = new Set<string>();
  const tokens = new Set<string>();

  function marked(name: string, key: string): Noticed {
    const of = key.startsWith(queuePrefix) ? queues : key.startsWith(tokenPrefix) ? tokens : null;
    const isNew = of !== null && !of.has(name);
    of?.add(name);
    return { name, beside: isNew ? 'new' : 'known' };
  }

  return {
    notice: (key) => {
      if (key.startsWith(unlockLatchPrefix)) return [];
      const names = namesOfCompanion(key).filter(inView);
      if (names.length > 0) return names.map((name) => marked(name, key));
      const isOfAnother = companionPrefixes.some((prefix) => key.startsWith(prefix));
      return !isOfAnother && inView(key) ? [{ name: key, beside: null }] : [];
    },
    hasQueue: (name) => queues.has(name),
    hasToken: (name) => tokens.has(name),
    forget: (name) => {
      queues.delete(name);
      tokens.delete(name);
    },
  };
}
