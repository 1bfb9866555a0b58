// @vitest-environment happy-dom
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { ghostFinding, holderOf, semaphoreOf, snapshotOf, waiterOf } from '@/components/fixture/world';
import type { Finding } from '@/lib/domain/findings/finding';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { rowsOf } from '@/lib/view/board-rows';
import { Row } from './row';

afterEach(cleanup);

const nothing = () => undefined;

function card(snapshot: Snapshot): string {
  const [row] = rowsOf(snapshot);
  if (row === undefined) throw new Error('The board has no row.');
  render(
    <table>
      <tbody>
        <Row row={row} gone={false} narrow active={false} index={0} measure={nothing} onMenu={nothing} />
      </tbody>
    </table>,
  );
  return (
    [...document.querySelectorAll('td')].find((cell) => cell.className.includes('md:hidden'))?.textContent ??
    ''
  );
}

test('the card of a semaphore in a deadlock says so, and who holds it', () => {
  const semaphores = [semaphoreOf('s', { limit: 1, holders: [holderOf(1)], waiters: [waiterOf(2)] })];
  const deadlock = { ...ghostFinding('s'), code: 'deadlock', id: 'deadlock s' } as unknown as Finding;
  const text = card(snapshotOf({ semaphores, findings: [deadlock] }));
  expect(text).toContain('worker-1 · node-1');
  expect(text).toContain('1 of 1 slots held, 1 waiting. It is in a deadlock.');
});

test('the card of a semaphore without holders names none', () => {
  const text = card(snapshotOf({ semaphores: [semaphoreOf('s', { holders: [] })] }));
  expect(text).toMatch(/^0 of 3 slots held/);
});
