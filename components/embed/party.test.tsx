// @vitest-environment happy-dom
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { bigValue, textValue } from '@/components/fixture/stored-value';
import { holderOf, lockOf, nowMs } from '@/components/fixture/world';
import { ClockProvider } from '@/components/live/clock';
import type { Lock } from '@/lib/domain/model';
import { EmbedSubject } from './subject';

afterEach(cleanup);

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
  ['the lock', lockOf('a', { value: bigValue })],
  ['its holder', lockOf('a', { holder: holderOf(1, 'alive', { value: bigValue }) })],
])('a value of 102.0 kB of %s takes a line of an embed, which says how much of it that is', (_, lock) => {
  show(lock);
  const [long = '', ...others] = values().filter((value) => value.startsWith('//'));
  expect(others).toEqual([]);
  expect(long).toMatch(/…$/);
  expect(long.length).toBeLessThan(170);
  expect(plain()).toContain('(not text; shown as base64 · first 120 B of 102.0 kB)');
});

test('a short value is shown whole in an embed, without a note', () => {
  show(lockOf('a', { value: textValue('worker-1') }));
  expect(values()).toContain('worker-1');
  expect(plain()).toMatch(/: worker-1$/);
});
