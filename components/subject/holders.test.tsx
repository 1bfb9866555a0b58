// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { Live, liveViewOf } from '@/components/fixture/live';
import { holderOf, nowMs, semaphoreOf, snapshotOf } from '@/components/fixture/world';
import { ClockProvider } from '@/components/live/clock';
import type { Holder } from '@/lib/domain/model';
import { semaphoreSubject } from '@/lib/domain/subject';
import { Holders } from './holders';

afterEach(cleanup);

function show(...holders: Holder[]) {
  const part = (now: readonly Holder[]) => (
    <ClockProvider first={{ nowMs, zone: 'UTC' }}>
      <Live view={liveViewOf(snapshotOf({ semaphores: [semaphoreOf('s', { holders: now })] }))}>
        <Holders
          of={semaphoreSubject({ source: 'consul', prefix: 's' })}
          holders={now}
          sessions={[]}
          holds="session"
          actionOf={() => null}
          none="nobody"
        />
      </Live>
    </ClockProvider>
  );
  const { rerender } = render(part(holders));
  return (...now: Holder[]) => rerender(part(now));
}
const names = () => screen.getAllByRole('heading', { level: 3 }).map((title) => title.textContent);
const fold = () => document.querySelector<HTMLDetailsElement>('details:has(h3)');
const alive = (count: number) => Array.from({ length: count }, (_, i) => holderOf(i + 10));

test('the holder in the deepest doubt stands first, and many who are alive are folded below, in the document', () => {
  show(...alive(6), holderOf(1, 'immortal'), holderOf(2, 'overdue'));
  expect(names().slice(0, 2)).toEqual([
    expect.stringContaining('worker-2'),
    expect.stringContaining('worker-1'),
  ]);
  expect(fold()?.open).toBe(false);
  expect(fold()?.querySelector('summary')?.textContent).toBe('6 holders are alive');
  // The browser's search in the page finds them there, and opens it.
  expect(fold()?.textContent).toContain('worker-15');
});

test('few holders are all shown, the doubtful one first', () => {
  show(...alive(2), holderOf(1, 'suspect'));
  expect(names()[0]).toContain('worker-1');
  expect(fold()).toBeNull();
});

test('a slot that passes on among those who are alive moves none of the others', () => {
  const [first, second, third] = alive(3);
  if (first === undefined || second === undefined || third === undefined) throw new Error('three holders');
  const now = show(first, second, third);
  const before = names();
  now(third, holderOf(20), first);
  expect(names()).toEqual([before[0], expect.stringContaining('worker-20'), before[2]]);
});

test('how long it is held stands beside since when', () => {
  show(holderOf(17 * 60));
  expect(screen.getByText(/^held 17.min, since 11:46:04/)).toBeTruthy();
});
