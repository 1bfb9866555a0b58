// @vitest-environment happy-dom
import { act, cleanup, render } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { Live, liveViewOf } from '@/components/fixture/live';
import { lockOf, snapshotOf } from '@/components/fixture/world';
import { useSnapshot, useSnapshotPart } from '@/lib/client/page-data';
import type { Snapshot } from '@/lib/domain/world/snapshot';

afterEach(cleanup);

const before = snapshotOf({ locks: [lockOf('a'), lockOf('b')] });
const after = structuredClone({ ...before, version: 2, locks: [lockOf('a'), lockOf('c')] });

function live() {
  const seen = { whole: [] as Snapshot[], keys: [] as (readonly string[])[] };
  function Whole() {
    seen.whole.push(useSnapshot());
    return null;
  }
  const selectFirst = (snapshot: Snapshot) => snapshot.locks.slice(0, 1).map(({ key }) => key);
  function Part() {
    seen.keys.push(useSnapshotPart(selectFirst));
    return null;
  }
  const view = liveViewOf(before);
  render(
    <Live view={view}>
      <Whole />
      <Whole />
      <Part />
    </Live>,
  );
  const bring = (snapshot: Snapshot) => act(() => view.snapshot.set(snapshot));
  return { seen, bring, cached: view.snapshot.get };
}

test('all who read the snapshot read the same one, so that rows are made for it once', () => {
  const { seen, bring, cached } = live();
  bring(after);
  const [one, other] = seen.whole.slice(-2);
  expect(one?.version).toBe(2);
  expect(one).toBe(other);
  expect(one).toBe(cached());
});

test('a lock that did not change stays the same object, also in a snapshot that came whole', () => {
  const { seen, bring } = live();
  bring(after);
  expect(seen.whole.at(-1)?.locks[0]).toBe(before.locks[0]);
  expect(seen.whole.at(-1)?.locks[1]?.key).toBe('c');
});

test('a component whose part did not change does not render', () => {
  const { seen, bring } = live();
  bring(after);
  expect(seen.keys).toHaveLength(1);
});
