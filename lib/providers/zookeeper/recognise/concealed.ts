/**
 * Folders whose list of entries is not whole, because nodes may not be read. A node that may not be read does not list
 * its children either, although a readable node below it still reports its own changes.
 */
import { parentOf } from '@/lib/providers/zookeeper/client/path';
import { mayBeEntry, nameOf } from './entry';

export interface Concealed {
  /** Takes all hidden paths of the next view. Returns false when they are those of the last view. */
  update(hidden: Iterable<string>): boolean;
  /** True when the folder may have entries that are not in view. */
  isPart(folder: string): boolean;
  /** The same of the last view. */
  wasPart(folder: string): boolean;
  /** True for a node that is there and may not be read. */
  has(path: string): boolean;
}

interface Seen {
  readonly paths: ReadonlySet<string>;
  /** Parents of hidden nodes that may hold or wait. */
  readonly folders: ReadonlySet<string>;
}

function seenOf(hidden: Iterable<string>): Seen {
  const paths = new Set(hidden);
  const folders = new Set<string>();
  for (const path of paths) if (mayBeEntry(nameOf(path))) folders.add(parentOf(path));
  return { paths, folders };
}

function isPartIn({ paths, folders }: Seen, folder: string): boolean {
  if (paths.size === 0) return false;
  if (folders.has(folder) || paths.has('/')) return true;
  for (let path = folder; path !== '/'; path = parentOf(path)) if (paths.has(path)) return true;
  return false;
}

const isSame = (a: ReadonlySet<string>, b: ReadonlySet<string>) =>
  a.size === b.size && [...a].every((one) => b.has(one));

export function createConcealed(): Concealed {
  let now = seenOf([]);
  let before = now;
  return {
    update: (hidden) => {
      before = now;
      now = seenOf(hidden);
      return !isSame(before.paths, now.paths);
    },
    isPart: (folder) => isPartIn(now, folder),
    wasPart: (folder) => isPartIn(before, folder),
    has: (path) => now.paths.has(path),
  };
}
