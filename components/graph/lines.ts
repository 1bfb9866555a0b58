/**
 * Trees of waiting as lines to be read one after the other. Each line says all that it means, so that its indent only
 * helps the eye: a line of clients who wait one for the other stays at one indent however long it is.
 */

import type { WaitTree } from '@/lib/domain/waitgraph/tree';
import type { Client } from '@/lib/domain/waitgraph/waitgraph';

export type Line =
  | { readonly kind: 'root'; readonly depth: 0; readonly tree: WaitTree }
  | {
      readonly kind: 'waiting';
      readonly depth: number;
      readonly prefix: string;
      readonly clients: readonly Client[];
    }
  | {
      readonly kind: 'passing';
      readonly depth: number;
      readonly prefix: string;
      readonly client: Client;
      /** What it holds that others wait for, and that was not told already. */
      readonly holds: readonly string[];
    };

/** Deeper than that there is no room on a phone. */
const depthMax = 5;

/** The lines of one tree, its root first. */
export function linesOf(root: WaitTree): readonly Line[] {
  const lines: Line[] = [{ kind: 'root', depth: 0, tree: root }];
  const todo: (Line | { readonly tree: WaitTree; readonly depth: number })[] = [{ tree: root, depth: 1 }];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if ('kind' in next) {
      lines.push(next);
      continue;
    }
    const { depth } = next;
    const { contested, waiting, passing } = next.tree;
    const { prefix } = contested;
    const isLine = passing.length === 1 && waiting.length === 0;
    if (waiting.length > 0) lines.push({ kind: 'waiting', depth, prefix, clients: waiting });
    // The last is taken first.
    for (const { client, below } of [...passing].reverse()) {
      for (const tree of [...below].reverse())
        todo.push({ tree, depth: isLine ? depth : Math.min(depth + 1, depthMax) });
      const holds = below.map((tree) => tree.contested.prefix);
      todo.push({ kind: 'passing', depth, prefix, client, holds });
    }
  }
  return lines;
}
