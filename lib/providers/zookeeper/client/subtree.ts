/** Reads a node and all below it, node by node, because ZooKeeper has no call for it. */
import { isProblem, type Problem } from '@/lib/domain/problem';
import { type Reply, tooMuch, valueIn } from './failure';
import { getChildren, getData, type Request } from './message';
import type { ZkNode } from './node';
import { joinPath } from './path';

export interface Bounds {
  readonly nodesMax: number;
  /** Most bytes of paths and data together. */
  readonly bytesMax: number;
}

export interface Scope {
  readonly bounds: Bounds;
  /** Leaves a node out, and all below it. */
  skips(path: string): boolean;
  /** Receives a node that may not be read and is left out. Absent: such a node fails the whole read. */
  readonly hidden?: (path: string) => void;
}

type Call = <T>(request: Request<T>) => Promise<Reply<T>>;

/** Most requests under way for one read: enough to fill a line, and few for a server's queue. */
const inFlightMax = 128;

/** Bytes of a node beside its data, as measured: its path, its numbers and its place in maps. */
const nodeBytes = 500;

export const weightOf = ({ path, data }: ZkNode): number => nodeBytes + 2 * path.length + data.length;

/** One node; `null`: there is none. */
export async function readNode(call: Call, path: string): Promise<ZkNode | null | Problem> {
  const reply = valueIn(await call(getData(path)), 'getData');
  return reply === null || isProblem(reply) ? reply : { path, ...reply };
}

async function readChildren(call: Call, path: string): Promise<readonly string[] | null | Problem> {
  return valueIn(await call(getChildren(path)), 'getChildren');
}

/** Adds the present nodes to `into`. Nodes that come or go meanwhile may be missing. */
export async function readSubtree(
  call: Call,
  roots: readonly string[],
  { bounds, into, skips, hidden }: Scope & { readonly into: Map<string, ZkNode> },
): Promise<Problem | null> {
  const queue = roots.filter((path) => !skips(path));
  let at = 0;
  let bytes = 0;
  let failed: Problem | null = null;
  const refuse = (path: string, why: Problem) => {
    if (why.code === 'forbidden' && hidden !== undefined) hidden(path);
    else failed ??= why;
  };
  const visit = async (path: string): Promise<void> => {
    const node = await readNode(call, path);
    if (failed !== null || node === null) return;
    if (isProblem(node)) return refuse(path, node);
    into.set(path, node);
    bytes += weightOf(node);
    if (into.size > bounds.nodesMax || bytes > bounds.bytesMax)
      failed = tooMuch(bounds.nodesMax, bounds.bytesMax);
    if (failed !== null || node.stat.numChildren === 0) return;
    const names = await readChildren(call, path);
    if (isProblem(names)) refuse(path, names);
    else if (names !== null) {
      if (into.size + queue.length - at + names.length > bounds.nodesMax)
        failed = tooMuch(bounds.nodesMax, bounds.bytesMax);
      else for (const name of names) queue.push(joinPath(path, name));
    }
  };
  await new Promise<void>((resolve) => {
    let out = 0;
    const more = () => {
      while (failed === null && out < inFlightMax && at < queue.length) {
        const path = queue[at++] ?? '';
        if (skips(path)) continue;
        out += 1;
        visit(path).then(() => {
          out -= 1;
          more();
        });
      }
      if (out === 0) resolve();
    };
    more();
  });
  return failed;
}
