// @vitest-environment happy-dom
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { idOf } from '@/components/fixture/world';
import type { AuditEntry } from '@/lib/domain/actions/audit';
import { deedOf, type ShownRow } from '@/lib/domain/actions/deed';
import type { Whom } from '@/lib/domain/actions/whom';
import { DeedRow } from './deed-row';

afterEach(cleanup);

const row = (kind: AuditEntry['kind'], detail: object, over: Partial<ShownRow> = {}): ShownRow => ({
  kind,
  thread: 't',
  who: { kind: 'anonymous' },
  address: null,
  action: 'semaphore.evict',
  subjects: ['semaphore:jobs/nightly-import'],
  reason: '',
  detail: detail as ShownRow['detail'],
  atMs: 0,
  replica: 'here',
  ...over,
});
const whom = (n: number, over: Partial<Whom> = {}): Whom => ({
  session: idOf(n),
  label: `worker-${n}`,
  name: `worker-${n}`,
  node: 'node-1',
  verdict: 'alive',
  ...over,
});
test('of more than a row names, all are counted', () => {
  const named = Array.from({ length: 20 }, (_, n) => whom(n + 1, { verdict: 'ghost' }));
  const pruned = row('intent', { whom: named, whomInAll: 240 }, { action: 'semaphore.prune' });
  render(<DeedRow deed={deedOf(pruned, [], 0)} />);
  expect(document.body.textContent).toContain('worker-5');
  expect(document.body.textContent).toContain('and 235 more');
});

const taken = (more: object) => ({
  watchedMs: 90,
  subjects: [
    { subject: 'semaphore:jobs/nightly-import', what: 'taken', by: [idOf(5)], afterMs: 90, ...more },
  ],
});
test('a client that held it before is said to have taken it again, with a new session', () => {
  const came = taken({
    by: [idOf(5), idOf(6)],
    again: [idOf(5)],
    eachMs: [90, 90],
    whom: [whom(5), whom(6)],
  });
  render(<DeedRow deed={deedOf(row('intent', { session: idOf(7) }), [row('followed', came)], 0)} />);
  expect((document.body.textContent ?? '').replaceAll('\u00a0', ' ')).toContain(
    'taken again by worker-5 0005…0005 with a new session after 90 ms, by worker-6 0006…0006 after 90 ms',
  );
});

test('an eviction names the evicted client and its successor, beside the ids', () => {
  render(
    <DeedRow
      deed={deedOf(
        row('intent', { session: idOf(7), whom: [whom(7)] }),
        [row('outcome', { outcome: 'done' }), row('followed', taken({ whom: [whom(5)] }))],
        0,
      )}
    />,
  );
  const text = document.body.textContent ?? '';
  expect(text).toContain('evicted worker-7 0007…0007 from jobs/nightly-import');
  expect(text).toContain('alive then, on node node-1');
  expect(text).toMatch(/taken by worker-5 0005…0005 after/);
});

test('a row without names shows the ids', () => {
  render(
    <DeedRow
      deed={deedOf(
        row('intent', { session: idOf(7) }),
        [row('outcome', { outcome: 'done' }), row('followed', taken({}))],
        0,
      )}
    />,
  );
  const text = document.body.textContent ?? '';
  expect(text).toContain('evicted 0007…0007 from jobs/nightly-import');
  expect(text).toMatch(/taken by 0005…0005 after/);
  expect(text).not.toMatch(/null|undefined| then/);
});

test('a release says who held it, and nothing of how that was where it was not known', () => {
  const subjects = ['lock:svc/leader'];
  const head = row(
    'intent',
    { whom: [whom(7, { verdict: null, node: null })] },
    { action: 'lock.release', subjects },
  );
  render(<DeedRow deed={deedOf(head, [], 0)} />);
  expect(document.body.textContent).toContain('held by worker-7 0007…0007');
  expect(document.body.textContent).not.toMatch(/ then|on node/);
});

test('a name that has the id in it already is not followed by it again', () => {
  const head = row('intent', { session: idOf(7), whom: [whom(7, { label: 'worker 0007…0007' })] });
  render(<DeedRow deed={deedOf(head, [], 0)} />);
  expect(document.body.textContent).toContain('evict worker 0007…0007 from');
});

test('a client that was there at the first look came at once, and not after 0 s', () => {
  render(
    <DeedRow
      deed={deedOf(
        row('intent', { session: idOf(7), whom: [whom(7)] }),
        [row('outcome', { outcome: 'done' }), row('followed', taken({ whom: [whom(5)], afterMs: 0 }))],
        0,
      )}
    />,
  );
  expect(document.body.textContent).toMatch(/taken by worker-5.* at once/);
});

test('clients that came in turn have a time each, and clients that came together are named together', () => {
  const came = taken({
    by: [5, 6, 8].map(idOf),
    whom: [5, 6, 8].map((n) => whom(n)),
    eachMs: [90, 90, 7_000],
  });
  render(
    <DeedRow
      deed={deedOf(
        row('intent', {}, { action: 'semaphore.prune' }),
        [row('outcome', { outcome: 'done' }), row('followed', came)],
        0,
      )}
    />,
  );
  expect(document.body.textContent).toMatch(
    /taken by worker-5 0005…0005, worker-6 0006…0006 after \S+\s\S+, by worker-8 0008…0008 after 7/,
  );
});

const resized = (one: object) => {
  const followed = { watchedMs: 45_000, subjects: [{ subject: 'semaphore:jobs/nightly-import', ...one }] };
  const head = row('intent', { limit: 4 }, { action: 'semaphore.resize' });
  render(
    <DeedRow deed={deedOf(head, [row('outcome', { outcome: 'done' }), row('followed', followed)], 0)} />,
  );
  return document.body.textContent;
};

test('a new limit says who waits no longer since, and who of them is still listed', () => {
  const left = {
    waited: 4,
    waiting: 1,
    leftInAll: 2,
    left: [6, 8].map(idOf),
    leftMs: [3, 21_000],
    whom: [5, 6, 8].map((n) => whom(n)),
  };
  const text = resized({ what: 'taken', by: [idOf(5)], afterMs: 20, ...left });
  expect(text).toMatch(
    /taken by worker-5 0005…0005 after \S+\s\S+; worker-6 0006…0006, worker-8 0008…0008 no longer wait/,
  );
  expect(text).toContain('1 still listed as waiting when watching stopped');
});

test('a reader without the names gets the number of clients', () => {
  const text = resized({ what: 'limit-changed', waited: 2, waiting: 0, leftInAll: 2 });
  expect(text).toContain('limit changed; 2 earlier waiters no longer wait');
  expect(text).not.toMatch(/nobody|no waiters|still listed/);
});

test('a new limit without waiters reports no arrivals', () => {
  const text = resized({ what: 'limit-changed', waited: 0, waiting: 0, leftInAll: 0 });
  expect(text).toContain('limit changed; no waiters');
  expect(text).not.toContain('came');
});

test('a release that was refused for another holder names the one it was meant for', () => {
  const head = row(
    'intent',
    { meant: [whom(7)], how: 'hand-over' },
    { action: 'lock.release', subjects: ['lock:svc/leader'] },
  );
  render(<DeedRow deed={deedOf(head, [row('outcome', { outcome: 'stale' })], 0)} />);
  expect(document.body.textContent).toContain('meant for the holder worker-7 0007…0007');
  expect(document.body.textContent).not.toContain('held by');
});
