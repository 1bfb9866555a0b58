import { expect, test } from 'vitest';
import { ReusedBody } from './reused-body';

test('answers of any length come out as they went in, and one of a like length takes no new memory', () => {
  const body = new ReusedBody();
  const answerOf = (pieces: readonly string[]) => {
    const { stream, bytes } = body.next();
    for (const piece of pieces) stream.write(piece);
    return bytes();
  };
  expect(answerOf([])?.length).toBe(0);
  const pieces = Array.from({ length: 100 }, (_, n) => `${n},`.repeat(n));
  const long = answerOf(pieces);
  expect(long?.toString()).toBe(pieces.join(''));
  const again = answerOf(pieces.slice(0, 90));
  expect(again?.toString()).toBe(pieces.slice(0, 90).join(''));
  expect(again?.buffer).toBe(long?.buffer);
  expect(answerOf(['a', '', 'bc'])?.toString()).toBe('abc');
});

test('memory of which an answer took little is not kept for the next one', () => {
  const body = new ReusedBody();
  body.next().stream.write('x'.repeat(10_000));
  for (const piece of ['short', 'next']) {
    const { stream, bytes } = body.next();
    stream.write(piece);
    expect(bytes()?.toString()).toBe(piece);
    if (piece === 'next') expect(bytes()?.buffer.byteLength).toBeLessThan(100);
  }
});

test('an answer that was given up is in no later one, and is no answer', () => {
  const body = new ReusedBody();
  const first = body.next();
  first.stream.write('begun');
  const second = body.next();
  second.stream.write('["a"');
  first.stream.write(' and late');
  second.stream.write(']');
  expect(first.bytes()).toBeNull();
  expect(second.bytes()?.toString()).toBe('["a"]');
});
