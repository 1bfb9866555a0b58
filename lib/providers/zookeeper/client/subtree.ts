/** A node and all below it, read node by node: ZooKeeper has no call for it. */
import { isProblem, type Problem } from '@/lib/domain/problem';
import { type Reply, tooMuch, valueIn } from './failure';
import { getChildren, getData, type Request } from './message';
import type { ZkNode } from './node';
import { joinPath } from './path';

export interface Bounds {
  readonly nodesMax: number;
  /** Of paths and data together. */
  readonly bytesMax: number;
}

export interface Scope {
  readonly bounds: Bounds;
  /** Leaves a node out, and all below it. */
  skips(path: string): boolean;
  /** It may not be read, so it is left out, too. Absent: that is a problem of the whole. */
  readonly hidden?: (path: string) => void;
}

type Call = <T>(request: Request<T>) => Promise<Reply<T>>;

/** Requests of one read that are out at a time: enough for a line to be full, and few beside what a server queues. */
const inFlightMax = 128;

/** What a node costs beside its data, as measured: its path, its numbers and its place in maps. */
const nodeBytes = 500;

export const weightOf = ({ path, data }: ZkNode): number => nodeBytes + 2 * path.length + data.length;

/** One node; `null`: it is not there. */
export async function readNode(call: Call, path: string): Promise<ZkNode | null | Problem> {
  const reply = valueIn(await call(getData(path)), 'getData');
  return reply === null || isProblem(reply) ? reply : { path, ...reply };
}

async function readChildren(call: Call, path: string): Promise<readonly string[] | null | Problem> {
  return valueIn(await call(getChildren(path)), 'getChildren');
}

/**
 * Adds what is there to `into`. What comes or goes meanwhile is in it or not.
 */
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
