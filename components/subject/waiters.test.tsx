// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { idOf, nowMs, waiterOf } from '@/components/fixture/world';
import { ClockProvider } from '@/components/live/clock';
import { shortId } from '@/lib/domain/model';
import { Waiters } from './waiters';

afterEach(cleanup);

test('each waiter has its link and its copy button, also where several have one name', () => {
  // As the model calls two sessions of one name.
  const waiters = [1, 2].map((n) => ({ ...waiterOf(n), label: `worker ${shortId(idOf(n))}` }));
  render(
    <ClockProvider first={{ nowMs, zone: 'UTC' }}>
      <Waiters source="consul" waiters={[...waiters, waiterOf(3)]} />
    </ClockProvider>,
  );
  for (const n of [1, 2, 3]) {
    const row = screen.getByTitle(idOf(n)).closest('tr');
    expect(row?.querySelector('a')?.getAttribute('href')).toBe(`/session?id=${idOf(n)}`);
    expect(row?.querySelector('button')?.getAttribute('aria-label')).toBe(`Copy ${idOf(n)}`);
  }
});
