// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { bigValue, textValue } from '@/components/fixture/stored-value';
import { RawEntry, ValueLine } from './value';

afterEach(cleanup);

/** As a person reads it. */
const plain = () => (document.body.textContent ?? '').replaceAll('\u00a0', ' ');

test('a value of 102.0 kB takes a line among other facts, and says how much of it that is', () => {
  render(<ValueLine value={bigValue} />);
  expect(screen.getByText(/…$/).textContent?.length).toBeLessThan(170);
  expect(plain()).toContain('first 120 B of 102.0 kB');
});

test('a text is cut at a character, and its bytes are counted as bytes', () => {
  render(<ValueLine value={textValue('锁'.repeat(200))} />);
  expect(plain()).toContain(`${'锁'.repeat(160)}…`);
  expect(plain()).toContain('first 480 B of 600 B');
});

test('a short value is shown whole, without a word', () => {
  render(<ValueLine value={textValue('worker-1')} />);
  expect(plain()).toBe('worker-1');
});

test('of the stored entry as many bytes are said to be shown as are', () => {
  render(<RawEntry entryKey="a" value={bigValue} exists fields={[]} />);
  expect(plain()).toContain('first 4.1 kB of 102.0 kB');
});
