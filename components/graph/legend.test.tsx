// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { holderOf, semaphoreOf, waiterOf } from '@/components/fixture/world';
import { waitGraphOf } from '@/lib/domain/waitgraph/waitgraph';
import { drawingOf } from './drawing';
import { Legend } from './legend';

afterEach(cleanup);

test('the legend names shapes, lines and the lamps that are drawn, and no others', () => {
  const semaphores = [
    semaphoreOf('s', { limit: 1, holders: [holderOf(1, 'immortal')], waiters: [waiterOf(2)] }),
  ];
  render(<Legend boxes={drawingOf(waitGraphOf({ locks: [], semaphores, sessions: [] })).boxes} />);
  expect(screen.getAllByRole('listitem').map((entry) => entry.textContent)).toEqual([
    'lock or semaphore',
    'client',
    'waits for',
    'held by',
    'immortal',
    'waiting',
  ]);
});
