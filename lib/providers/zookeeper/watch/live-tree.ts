/** The nodes in view, as last read, under a budget. */
import type { ZkNode, ZkTree } from '@/lib/providers/zookeeper/client/node';
import { parentOf } from '@/lib/providers/zookeeper/client/path';
import { type Bounds, weightOf } from '@/lib/providers/zookeeper/client/subtree';

export interface LiveTree {
  readonly nodes: ZkTree;
  /** `null`: the node is gone. The parent's number of children follows. */
  set(path: string, node: ZkNode | null): void;
  readonly overfull: boolean;
}

export function createLiveTree(nodes: Map<string, ZkNode>, { nodesMax, bytesMax }: Bounds): LiveTree {
  let bytes = 0;
  for (const node of nodes.values()) bytes += weightOf(node);
  /** A new read for each child would double the cost of a busy lock. */
  const count = (path: string, more: number) => {
    const parent = path === '/' ? undefined : nodes.get(parentOf(path));
    if (parent === undefined) return;
    const numChildren = Math.max(parent.stat.numChildren + more, 0);
    nodes.set(parent.path, { ...parent, stat: { ...parent.stat, numChildren } });
  };
  return {
    nodes,
    set: (path, node) => {
      const before = nodes.get(path);
      if (before !== undefined) bytes -= weightOf(before);
      if (node === null) nodes.delete(path);
      else {
        nodes.set(path, node);
        bytes += weightOf(node);
      }
      if ((before === undefined) !== (node === null)) count(path, node === null ? -1 : 1);
    },
    get overfull() {
      return nodes.size > nodesMax || bytes > bytesMax;
    },
  };
}
