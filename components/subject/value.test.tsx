// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import type { StoredValue } from '@/lib/domain/model';
import { RawEntry, ValueLine } from './value';

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
/** As a person reads it. */
const plain = () => (document.body.textContent ?? '').replaceAll('\u00a0', ' ');

test('a value of 102.0 kB takes a line among other facts, and says how much of it that is', () => {
  render(<ValueLine value={big} />);
  expect(screen.getByText(/…$/).textContent?.length).toBeLessThan(170);
  expect(plain()).toContain('first 120 B of 102.0 kB');
});

test('a text is cut at a character, and its bytes are counted as bytes', () => {
  render(<ValueLine value={text('锁'.repeat(200))} />);
  expect(plain()).toContain(`${'锁'.repeat(160)}…`);
  expect(plain()).toContain('first 480 B of 600 B');
});

test('a short value is shown whole, without a word', () => {
  render(<ValueLine value={text('worker-1')} />);
  expect(plain()).toBe('worker-1');
});

test('of the stored entry as many bytes are said to be shown as are', () => {
  render(<RawEntry entryKey="a" value={big} exists fields={[]} />);
  expect(plain()).toContain('first 4.1 kB of 102.0 kB');
});
