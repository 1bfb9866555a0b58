import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLongAnswer } from './long-answer';

function answerOf(pieces: readonly string[]) {
  const answer = createLongAnswer();
  for (const piece of pieces) answer.stream.write(piece);
  return answer;
}

const pieces = Array.from({ length: 1_000 }, (_, n) => `${n},`.repeat(n));

test('answers come out as they went in, and later ones take the memory of earlier ones', () => {
  expect(createLongAnswer().bytes().length).toBe(0);
  const first = answerOf(pieces);
  expect(first.bytes().toString()).toBe(pieces.join(''));
  const memory = first.bytes().buffer;
  first.release();
  first.release();
  expect(first.bytes().length).toBe(0);
  const again = answerOf(pieces.slice(0, 990));
  expect(again.bytes().toString()).toBe(pieces.slice(0, 990).join(''));
  expect(again.bytes().buffer).toBe(memory);
  again.release();
});

test('answers under way at a time share no memory, and nothing of one that was given up is in another', () => {
  const given = answerOf(['begun']);
  given.release();
  const [a, b] = [answerOf(['["a"']), answerOf(['["b"'])];
  given.stream.write(' and late');
  a.stream.write(']');
  b.stream.write(']');
  expect([a, b, given].map((one) => one.bytes().toString())).toEqual(['["a"]', '["b"]', '']);
  a.release();
  b.release();
});

test('many short answers at a time leave the memory of a long one', () => {
  const long = answerOf(['x'.repeat(8_000_000)]);
  const { buffer } = long.bytes();
  long.release();
  const short = Array.from({ length: 100 }, () => answerOf(['x'.repeat(400_000)]));
  for (const one of short.reverse()) one.release();
  const again = answerOf(['x'.repeat(8_000_000)]);
  expect(again.bytes().buffer === buffer).toBe(true);
  again.release();
});

test('the memory of a very long answer is not kept, and the answer is whole', () => {
  const text = 'x'.repeat(20_000_000);
  const first = answerOf([text.slice(0, 15_000_000), text.slice(15_000_000)]);
  expect(first.bytes().toString() === text).toBe(true);
  const { buffer } = first.bytes();
  first.release();
  const second = answerOf([text]);
  expect(second.bytes().buffer === buffer).toBe(false);
  second.release();
});

describe('when no answer has taken memory for a while', () => {
  const lengths = { short: 50_000, long: 8_000_000 };
  let memoryUsed: (length: number) => ArrayBufferLike;

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    vi.resetModules();
    const { createLongAnswer: fresh } = await import('./long-answer');
    memoryUsed = (length) => {
      const answer = fresh();
      answer.stream.write('x'.repeat(length));
      const { buffer } = answer.bytes();
      answer.release();
      return buffer;
    };
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('none is kept', () => {
    const memory = memoryUsed(lengths.short);
    for (let times = 0; times < 3; times += 1) {
      vi.advanceTimersByTime(4_000);
      expect(memoryUsed(lengths.short)).toBe(memory);
    }
    vi.advanceTimersByTime(6_000);
    expect(memoryUsed(lengths.short)).not.toBe(memory);
  });

  test('that of a long one goes, though short ones come all the time', () => {
    const short = memoryUsed(lengths.short);
    const long = memoryUsed(lengths.long);
    for (let times = 0; times < 6; times += 1) {
      vi.advanceTimersByTime(1_000);
      expect(memoryUsed(lengths.short)).toBe(short);
    }
    expect(memoryUsed(lengths.long) === long).toBe(false);
  });
});
