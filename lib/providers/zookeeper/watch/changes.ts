/** Reported changes that were not read yet, each node once. */
import type { ZkEvent } from '@/lib/providers/zookeeper/client/message';

export interface Changes {
  add(change: ZkEvent): void;
  /**
   * Takes all changes. `gone`: deleted, and not made again so far. `flooded`: too many to list, so everything must be
   * read.
   */
  take(): {
    readonly gone: readonly string[];
    readonly read: readonly string[];
    readonly flooded: boolean;
  };
  readonly any: boolean;
}

export function createChanges(max: number): Changes {
  let last = new Map<string, 'gone' | 'read'>();
  let flooded = false;
  return {
    add: ({ type, path }) => {
      if (last.size >= max && !last.has(path)) {
        last = new Map();
        flooded = true;
      }
      if (!flooded) last.set(path, type === 'deleted' ? 'gone' : 'read');
    },
    take: () => {
      const of = (kind: 'gone' | 'read') => [...last].filter(([, one]) => one === kind).map(([path]) => path);
      const taken = { gone: of('gone'), read: of('read'), flooded };
      last = new Map();
      flooded = false;
      return taken;
    },
    get any() {
      return flooded || last.size > 0;
    },
  };
}
