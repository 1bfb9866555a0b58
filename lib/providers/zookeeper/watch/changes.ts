/** Changes that the servers told of and that were not looked at yet: each node once, however often it changed. */
import type { ZkEvent } from '@/lib/providers/zookeeper/client/message';

export interface Changes {
  add(change: ZkEvent): void;
  /** Takes them all. `gone`: deleted, and not made again so far. `flooded`: more than can be told apart, so that all must be read. */
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
