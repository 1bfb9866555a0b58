import { expect, test } from 'vitest';
import type { ZkNode } from '@/lib/providers/zookeeper/client/node';
import { createLiveTree } from './live-tree';

const node = (path: string, { numChildren = 0, bytes = 0 } = {}): ZkNode => ({
  path,
  data: Buffer.alloc(bytes),
  stat: {
    czxid: '1',
    mzxid: '1',
    ctimeMs: 0,
    mtimeMs: 0,
    version: 0,
    cversion: 0,
    ephemeralOwner: '0',
    numChildren,
  },
});

test('a parent counts its children as they come and go, and others keep their identity', () => {
  const nodes = [node('/'), node('/a', { numChildren: 1 }), node('/a/x')];
  const tree = createLiveTree(new Map(nodes.map((one) => [one.path, one])), { nodesMax: 9, bytesMax: 1e6 });
  tree.set('/a/y', node('/a/y'));
  expect(tree.nodes.get('/a')?.stat.numChildren).toBe(2);
  tree.set('/a/y', node('/a/y', { bytes: 3 }));
  expect(tree.nodes.get('/a')?.stat.numChildren).toBe(2);
  tree.set('/a/x', null);
  tree.set('/a/x', null);
  expect(tree.nodes.get('/a')?.stat.numChildren).toBe(1);
  expect(tree.nodes.get('/')).toBe(nodes[0]);
});

test('it is overfull by nodes or by bytes, and no longer once they are gone', () => {
  const byNodes = createLiveTree(new Map(), { nodesMax: 1, bytesMax: 1e6 });
  byNodes.set('/a', node('/a'));
  expect(byNodes.overfull).toBe(false);
  byNodes.set('/b', node('/b'));
  expect(byNodes.overfull).toBe(true);
  byNodes.set('/b', null);
  expect(byNodes.overfull).toBe(false);
  const byBytes = createLiveTree(new Map(), { nodesMax: 9, bytesMax: 5_000 });
  byBytes.set('/a', node('/a', { bytes: 10_000 }));
  expect(byBytes.overfull).toBe(true);
  byBytes.set('/a', node('/a'));
  expect(byBytes.overfull).toBe(false);
});
