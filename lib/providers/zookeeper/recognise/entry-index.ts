/** The nodes that hold or wait, by folder. A view costs work only for nodes that came, went or changed. */
import type { ZkNode, ZkTree } from '@/lib/providers/zookeeper/client/node';
import { parentOf } from '@/lib/providers/zookeeper/client/path';
import { type Entry, entryOf, nameOf } from './entry';
import { leasesName, locksName } from './semaphores';

export interface EntryIndex {
  /**
   * Takes the present tree. `changed`: all nodes that may differ; absent: any may. Returns the folders where an entry
   * came, went or changed.
   */
  update(tree: ZkTree, changed?: Iterable<string>): Set<string>;
  entriesIn(folder: string): readonly Entry[];
  entry(path: string): Entry | undefined;
  entries(): Iterable<Entry>;
  /** Folders that a semaphore may have: those with entries, and those named `leases`. */
  semaphoreFolders(): Iterable<string>;
  /** The number of nodes of each session. */
  readonly owned: ReadonlyMap<string, number>;
}

/** True when the folder has a name of a semaphore's. */
export const isOfSemaphore = (folder: string) => {
  const name = nameOf(folder);
  return name === leasesName || name === locksName;
};

export function createEntryIndex(): EntryIndex {
  const entries = new Map<string, Entry>();
  const folders = new Map<string, Map<string, Entry>>();
  const special = new Set<string>();
  const owned = new Map<string, number>();
  let leasesNodes = new Set<string>();

  function count({ node }: Entry, more: number): void {
    const owner = node.stat.ephemeralOwner;
    const left = (owned.get(owner) ?? 0) + more;
    if (left > 0) owned.set(owner, left);
    else owned.delete(owner);
  }
  function remove(path: string, before: Entry, dirty: Set<string>): void {
    const folder = parentOf(path);
    entries.delete(path);
    count(before, -1);
    const inFolder = folders.get(folder);
    inFolder?.delete(path);
    if (inFolder?.size === 0) {
      folders.delete(folder);
      special.delete(folder);
    }
    dirty.add(folder);
  }
  function put(path: string, entry: Entry, dirty: Set<string>): void {
    const folder = parentOf(path);
    entries.set(path, entry);
    count(entry, 1);
    const inFolder = folders.get(folder);
    if (inFolder === undefined) {
      folders.set(folder, new Map([[path, entry]]));
      if (isOfSemaphore(folder)) special.add(folder);
    } else inFolder.set(path, entry);
    dirty.add(folder);
  }
  /** Takes a node. Returns true when it is an entry. */
  function take(node: ZkNode, dirty: Set<string>): boolean {
    const { path } = node;
    const before = entries.get(path);
    if (before?.node === node) return true;
    const entry = entryOf(node);
    if (before !== undefined) remove(path, before, dirty);
    if (entry !== null) put(path, entry, dirty);
    else if (nameOf(path) === leasesName) leasesNodes.add(path);
    return entry !== null;
  }

  return {
    update: (tree, changed) => {
      const dirty = new Set<string>();
      if (changed !== undefined) {
        for (const path of changed) {
          const node = tree.get(path);
          const before = entries.get(path);
          if (node !== undefined) take(node, dirty);
          else if (before !== undefined) remove(path, before, dirty);
          else leasesNodes.delete(path);
        }
        return dirty;
      }
      leasesNodes = new Set();
      let seen = 0;
      for (const node of tree.values()) if (take(node, dirty)) seen += 1;
      if (seen < entries.size)
        for (const [path, before] of entries) if (!tree.has(path)) remove(path, before, dirty);
      return dirty;
    },
    entriesIn: (folder) => [...(folders.get(folder)?.values() ?? [])],
    entry: (path) => entries.get(path),
    entries: () => entries.values(),
    semaphoreFolders: () => new Set([...special, ...leasesNodes]),
    owned,
  };
}
