import { expect, test } from 'vitest';
import { ghostFinding, lockOf, semaphoreOf, sessionOf, snapshotOf } from '@/components/fixture/world';
import { firstOf, rowsInOrder, rowsMax } from './first-state';

const many = snapshotOf({
  locks: Array.from({ length: 500 }, (_, i) => lockOf(`a/${String(i).padStart(3, '0')}`)),
  semaphores: [semaphoreOf('z/leaks')],
  sessions: [sessionOf(1)],
  findings: [ghostFinding('z/leaks')],
});

test('the first paint of a large board has its shown rows, urgent ones first, and counts the rest', () => {
  const { initial, unsent } = firstOf(many);
  expect(rowsInOrder(initial)).toHaveLength(rowsMax);
  expect(rowsInOrder(initial)[0]?.name).toBe('z/leaks');
  expect(unsent).toBe(501 - rowsMax);
  expect(initial.findings).toEqual(many.findings);
});

test('the stream begins with the same rows, so that nothing moves when it comes', () => {
  const names = (rows: ReturnType<typeof rowsInOrder>) => rows.slice(0, rowsMax).map(({ name }) => name);
  expect(names(rowsInOrder(firstOf(many).initial))).toEqual(names(rowsInOrder(many)));
});

test('a small one is sent whole', () => {
  const small = snapshotOf({ locks: [lockOf('a/one')] });
  expect(firstOf(small)).toEqual({ initial: small, unsent: 0 });
});
