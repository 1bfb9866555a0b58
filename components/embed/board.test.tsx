// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { ghostFinding, holderOf, nowMs, semaphoreOf, snapshotOf, waiterOf } from '@/components/fixture/world';
import { ClockProvider } from '@/components/live/clock';
import type { Finding } from '@/lib/domain/findings/finding';
import { findings as words } from '@/lib/i18n/en/findings';
import { EmbedBoard } from './board';

afterEach(cleanup);

/** A semaphore whose state alone is in order, and what is found of it. */
const snapshot = snapshotOf({
  semaphores: [semaphoreOf('s', { limit: 1, holders: [holderOf(1)], waiters: [waiterOf(2)] })],
  findings: [{ ...ghostFinding('s'), code: 'deadlock' } as unknown as Finding],
});

test.each([
  ['in its sentence', false, words.deadlock.own],
  ['by its name where there is no room for a sentence', true, words.deadlock.short],
])('a row that is marked says why, %s', (_, compact, why) => {
  render(
    <ClockProvider first={{ nowMs, zone: 'UTC' }}>
      <EmbedBoard snapshot={snapshot} unsent={0} compact={compact} />
    </ClockProvider>,
  );
  const row = screen.getByRole('listitem').textContent;
  expect(row).toContain('▲');
  expect(row).toContain(why);
});

test('a row in order says nothing of the kind', () => {
  render(
    <ClockProvider first={{ nowMs, zone: 'UTC' }}>
      <EmbedBoard snapshot={{ ...snapshot, findings: [] }} unsent={0} compact />
    </ClockProvider>,
  );
  expect(screen.getByRole('listitem').textContent).not.toContain(words.deadlock.short);
});
