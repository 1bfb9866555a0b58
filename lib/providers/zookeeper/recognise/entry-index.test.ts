import { expect, test } from 'vitest';
import type { ZkNode } from '@/lib/providers/zookeeper/client/node';
import { createEntryIndex, type EntryIndex } from './entry-index';

const guid = '01234567-89ab-cdef-0123-456789abcdef';
let zxid = 0;
const node = (path: string, ephemeralOwner: string): ZkNode => {
  zxid += 1;
  return {
    path,
    data: Buffer.alloc(0),
    stat: {
      czxid: String(zxid),
      mzxid: String(zxid),
      ctimeMs: 0,
      mtimeMs: 0,
      version: 0,
      cversion: 0,
      ephemeralOwner,
      numChildren: 0,
    },
  };
};

const folders = ['/a', '/b', '/s/leases', '/s/locks', '/t/leases'];
const said = (index: EntryIndex) => ({
  folders: folders.map((folder) =>
    index
      .entriesIn(folder)
      .map((entry) => entry.node.stat.czxid)
      .sort(),
  ),
  semaphores: [...index.semaphoreFolders()].sort(),
  owned: [...index.owned].sort(),
});

test('told which nodes changed, it knows the same as by a look at all of them', () => {
  const tree = new Map<string, ZkNode>();
  const index = createEntryIndex();
  index.update(tree);
  for (let round = 0; round < 400; round += 1) {
    const changed = new Set<string>();
    const before = said(index);
    for (let n = 0; n < 1 + (round % 4); n += 1) {
      const folder = folders[(round * 7 + n * 3) % folders.length] ?? '';
      const place = (round * 5 + n) % 6;
      const kind = folder.endsWith('leases') ? 'lease' : 'lock';
      const path = place === 0 ? folder : `${folder}/_c_${guid}-${kind}-000000000${place}`;
      changed.add(path);
      if (tree.has(path) && (round + n) % 3 !== 0) tree.delete(path);
      else tree.set(path, node(path, place === 0 ? '0' : String(place)));
    }
    const dirty = index.update(tree, changed);
    const whole = createEntryIndex();
    whole.update(tree);
    const after = said(index);
    expect(after).toEqual(said(whole));
    // Every folder whose entries are others than before is named.
    for (const [i, folder] of folders.entries())
      if (String(after.folders[i]) !== String(before.folders[i])) expect(dirty, folder).toContain(folder);
  }
});
