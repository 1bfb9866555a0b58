import { expect, test } from 'vitest';
import { entry, type MadeNode, noFacts, treeOf } from '@/lib/providers/zookeeper/fixture/trees';
import { createConcealed } from './concealed';
import { createRecogniser } from './recognise';

const startMs = 2_000_000_000_000;
const minuteMs = 60_000;

/** Views of the nodes that may be read beside paths of those that may not. */
function looking() {
  const recogniser = createRecogniser('zk');
  return (nodes: readonly MadeNode[], hidden: readonly string[], afterMs = 0) =>
    recogniser.recognise({
      tree: treeOf(...nodes),
      facts: noFacts,
      nowMs: startMs + afterMs,
      continuous: true,
      hidden: new Set(hidden),
    }).world;
}

test('a hidden node conceals entries beside it if it may be one, and all entries below it', () => {
  const concealed = createConcealed();
  const parts = (...folders: readonly string[]) => folders.filter(concealed.isPart);
  expect(concealed.update([])).toBe(false);
  expect(parts('/', '/a')).toEqual([]);
  expect(concealed.update(['/a/b', '/q/x-0000000001'])).toBe(true);
  expect(parts('/', '/a', '/a/b', '/a/b/c', '/a/bc', '/q', '/q/x-0000000001', '/qq')).toEqual([
    '/a/b',
    '/a/b/c',
    '/q',
    '/q/x-0000000001',
  ]);
  expect(concealed.update(['/q/x-0000000001', '/a/b'])).toBe(false);
  expect(concealed.update(['/'])).toBe(true);
  expect(parts('/', '/a/b/c')).toEqual(['/', '/a/b/c']);
  expect([concealed.wasPart('/a/b'), concealed.wasPart('/a')]).toEqual([true, false]);
});

test.each(['/locks/a', '/locks'])('an entry that comes below the hidden %s is not said to hold', (hidden) => {
  const look = looking();
  look([{ path: '/locks' }], [hidden]);
  // Its folder does not list the entries that were there before.
  const { locks } = look([{ path: '/locks' }, entry('/locks/a', 'lock-', 7)], [hidden], 1);
  expect(locks).toMatchObject([
    { key: '/locks/a', state: 'unknown', holder: null, waiters: [{ verdict: 'unknown' }] },
  ]);
});

test('a held lock whose folder turns hidden is unknown, and is held or free again once the folder may be read', () => {
  const look = looking();
  const holder = entry('/locks/a', 'lock-', 1);
  const [root, folder] = [{ path: '/locks' }, { path: '/locks/a' }];
  expect(look([root, folder, holder], []).locks).toMatchObject([{ state: 'held' }]);
  expect(look([root], ['/locks/a'], 1).locks).toMatchObject([{ state: 'unknown', holder: null }]);
  expect(look([root, folder, holder], [], 2).locks).toMatchObject([{ state: 'held' }]);
  expect(look([], ['/locks'], 3).locks).toMatchObject([{ state: 'unknown' }]);
  expect(look([root, folder], [], 4).locks).toMatchObject([{ state: 'free' }]);
});

test('a lock whose hidden folder is there stays unknown, and is forgotten once the folder has gone', () => {
  const look = looking();
  look([{ path: '/locks/a' }, entry('/locks/a', 'lock-', 1)], []);
  look([], ['/locks/a'], 1);
  expect(look([], ['/locks/a'], 60 * minuteMs).locks).toMatchObject([{ state: 'unknown' }]);
  expect(look([], [], 61 * minuteMs).locks).toMatchObject([{ state: 'free' }]);
  expect(look([], [], 71 * minuteMs).locks).toEqual([]);
});

test('a semaphore whose prefix turns hidden has no number of holders', () => {
  const look = looking();
  const lease = entry('/pool/leases', 'lease-', 1);
  expect(look([lease], []).semaphores).toMatchObject([{ recorded: 1 }]);
  expect(look([], ['/pool'], 1).semaphores).toMatchObject([{ part: true, recorded: null, limit: null }]);
  expect(look([lease], [], 2).semaphores).toMatchObject([{ recorded: 1 }]);
});

test('a holder of a lock that is whole again holds at least since then, seen before or not', () => {
  const look = looking();
  const [first, second] = [entry('/a', 'lock-', 1), entry('/a', 'lock-', 2)];
  const sinceOf = (nodes: readonly MadeNode[], hidden: readonly string[], afterMs: number) =>
    look(nodes, hidden, afterMs).locks[0]?.holder?.since;
  expect(sinceOf([first], [], 0)).toEqual({ atMs: 1_000, basis: 'value' });
  look([first], [second.path], 1);
  expect(sinceOf([first, second], [], 2)).toEqual({ atMs: startMs + 2, basis: 'at-least' });
  look([first], [second.path], 3);
  // It waited out of view.
  expect(sinceOf([second], [], 5)).toEqual({ atMs: startMs + 5, basis: 'at-least' });
  const later = looking();
  later([], ['/a']);
  expect(later([first], [], 1).locks[0]?.holder?.since).toEqual({ atMs: startMs + 1, basis: 'at-least' });
});

test('a lease beside hidden ones may wait, so that it holds at least since the semaphore is whole again', () => {
  const look = looking();
  const [known, hidden, late] = [1, 2, 3].map((n) => entry('/p/leases', 'lease-', n));
  if (known === undefined || hidden === undefined || late === undefined) throw new Error('Three were made.');
  const sinces = (nodes: readonly MadeNode[], afterMs: number, unread: readonly string[] = []) =>
    look(nodes, unread, afterMs).semaphores[0]?.holders.map(({ since }) => since);
  const value = { atMs: 1_000, basis: 'value' };
  expect(sinces([known], 0)).toEqual([value]);
  const doubtful = { atMs: startMs + 1, basis: 'at-least' };
  expect(sinces([known, late], 1, [hidden.path])).toEqual([value, doubtful]);
  expect(sinces([known, late], 2)).toEqual([value, { atMs: startMs + 2, basis: 'at-least' }]);
  expect(sinces([known, late], 3)).toEqual([value, { atMs: startMs + 2, basis: 'at-least' }]);
});

test('a wait beside hidden leases tells nothing of the limit, so that a lease granted later is not stuck', () => {
  const look = looking();
  const [held, hidden] = [1, 2].map((n) => entry('/p/leases', 'lease-', n));
  const place = entry('/p/locks', 'lock-', 3, { owner: 'b2', ctimeMs: startMs });
  const waits = entry('/p/leases', 'lease-', 4, { owner: 'b2', ctimeMs: startMs });
  if (held === undefined || hidden === undefined) throw new Error('Two were made.');
  const semaphore = (nodes: readonly MadeNode[], unread: readonly string[], afterMs: number) =>
    look(nodes, unread, afterMs).semaphores[0];
  semaphore([held], [], 0);
  semaphore([held, waits, place], [hidden.path], 10_000);
  // The hidden one lets go, and the client of the pending one is about to release the mutex.
  expect(semaphore([held, waits, place], [], 20_000)).toMatchObject({ limitBasis: 'at-least' });
  expect(semaphore([held, waits], [], 20_001)).toMatchObject({ recorded: 2, waiters: [] });
});
