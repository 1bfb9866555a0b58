// @vitest-environment happy-dom
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { holderOf, lockOf, nowMs } from '@/components/fixture/world';
import { ClockProvider } from '@/components/live/clock';
import type { Lock, StoredValue } from '@/lib/domain/model';
import { EmbedSubject } from './subject';

afterEach(cleanup);

/** As a server sends 102.0 kB of binary data: the first 4,096 bytes. */
const big: StoredValue = {
  encoding: 'base64',
  content: Buffer.alloc(4_096, 0xff).toString('base64'),
  bytes: 102_000,
  truncated: true,
};
const text = (content: string): StoredValue => ({
  encoding: 'text',
  content,
  bytes: Buffer.byteLength(content),
  truncated: false,
});

const show = (of: Lock) =>
  render(
    <ClockProvider first={{ nowMs, zone: 'UTC' }}>
      <EmbedSubject of={of} findings={[]} compact={false} />
    </ClockProvider>,
  );
/** As a person reads it. */
const plain = () => (document.body.textContent ?? '').replaceAll('\u00a0', ' ');
const values = () => [...document.querySelectorAll('code')].map((code) => code.textContent ?? '');

test.each<[string, Lock]>([
  ['the lock', lockOf('a', { value: big })],
  ['its holder', lockOf('a', { holder: holderOf(1, 'alive', { value: big }) })],
])('a value of 102.0 kB of %s takes a line of an embed, which says how much of it that is', (_, lock) => {
  show(lock);
  const [long = '', ...others] = values().filter((value) => value.startsWith('//'));
  expect(others).toEqual([]);
  expect(long).toMatch(/…$/);
  expect(long.length).toBeLessThan(170);
  expect(plain()).toContain('(not text; shown as base64 · first 120 B of 102.0 kB)');
});

test('a short value is shown whole in an embed, without a note', () => {
  show(lockOf('a', { value: text('worker-1') }));
  expect(values()).toContain('worker-1');
  expect(plain()).toMatch(/: worker-1$/);
});
