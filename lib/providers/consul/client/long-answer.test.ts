import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { longAnswers } from './long-answer';

function answerOf(pieces: readonly string[]) {
  const answer = longAnswers()('names');
  for (const piece of pieces) answer.stream.write(piece);
  return answer;
}

const pieces = Array.from({ length: 1_000 }, (_, n) => `${n},`.repeat(n));

test('answers come out as they went in, and later ones take the memory of earlier ones', () => {
  expect(longAnswers()('names').bytes().length).toBe(0);
  const first = answerOf(pieces);
  expect(first.bytes().toString()).toBe(pieces.join(''));
  const memory = first.bytes().buffer;
  first.release(true);
  first.release(true);
  expect(first.bytes().length).toBe(0);
  const again = answerOf(pieces.slice(0, 990));
  expect(again.bytes().toString()).toBe(pieces.slice(0, 990).join(''));
  expect(again.bytes().buffer).toBe(memory);
  again.release(true);
});

test('answers under way at a time share no memory, and nothing of one that was given up is in another', () => {
  const given = answerOf(['begun']);
  given.release(true);
  const [a, b] = [answerOf(['["a"']), answerOf(['["b"'])];
  given.stream.write(' and late');
  a.stream.write(']');
  b.stream.write(']');
  expect([a, b, given].map((one) => one.bytes().toString())).toEqual(['["a"]', '["b"]', '']);
  a.release(true);
  b.release(true);
});

test('many short answers at a time leave the memory of a long one', () => {
  const long = answerOf(['x'.repeat(8_000_000)]);
  const { buffer } = long.bytes();
  long.release(true);
  const short = Array.from({ length: 100 }, () => answerOf(['x'.repeat(400_000)]));
  for (const one of short.reverse()) one.release(true);
  const again = answerOf(['x'.repeat(8_000_000)]);
  expect(again.bytes().buffer === buffer).toBe(true);
  again.release(true);
});

test('the memory of a very long answer is not kept, and the answer is whole', () => {
  const text = 'x'.repeat(20_000_000);
  const first = answerOf([text.slice(0, 15_000_000), text.slice(15_000_000)]);
  expect(first.bytes().toString() === text).toBe(true);
  const { buffer } = first.bytes();
  first.release(true);
  const second = answerOf([text]);
  expect(second.bytes().buffer === buffer).toBe(false);
  second.release(true);
});

describe('memory that no answer has needed for a while', () => {
  const lengths = { short: 50_000, long: 8_000_000 };
  let fresh: typeof longAnswers;
  let answersOf: (...lengths: number[]) => ArrayBufferLike[];

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    vi.resetModules();
    ({ longAnswers: fresh } = await import('./long-answer'));
    answersOf = (...lengths) => {
      const answers = lengths.map(() => fresh()('names'));
      answers.forEach(({ stream }, i) => {
        stream.write('x'.repeat(lengths[i] ?? 0));
      });
      const buffers = answers.map((one) => one.bytes().buffer);
      for (const one of answers) one.release(true);
      return buffers;
    };
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('goes, also after there was none', () => {
    for (let times = 0; times < 3; times += 1) {
      const memory = answersOf(lengths.short);
      for (let used = 0; used < 3; used += 1) {
        vi.advanceTimersByTime(4_000);
        expect(answersOf(lengths.short)[0] === memory[0]).toBe(true);
      }
      expect(vi.getTimerCount()).toBe(1);
      vi.advanceTimersByTime(6_000);
      expect(vi.getTimerCount()).toBe(0);
      expect(answersOf(lengths.short)[0] === memory[0]).toBe(false);
      vi.advanceTimersByTime(6_000);
    }
  });

  test.each([1, 2])('goes where it is long, though %i short ones at a time come all along', (short) => {
    answersOf(lengths.short);
    const [long] = answersOf(lengths.long);
    for (let times = 0; times < 6; times += 1) {
      vi.advanceTimersByTime(1_000);
      answersOf(...Array.from({ length: short }, () => lengths.short));
    }
    expect(answersOf(lengths.long)[0] === long).toBe(false);
  });

  test('is at most 32 MB meanwhile, before and after some of it has gone', () => {
    const many = [1, 2, 3, 4, 5].map(() => lengths.long);
    for (let times = 0; times < 2; times += 1) {
      const first = new Set(answersOf(...many));
      const again = answersOf(...many).filter((one) => first.has(one));
      expect(again).toHaveLength(2);
      vi.advanceTimersByTime(6_000);
    }
  });

  test('is taken at once by a long answer that comes again, and no more of it after a short one of its name', () => {
    const answerTo = fresh();
    const begun = (pieces: number, whole = true) => {
      vi.advanceTimersByTime(6_000);
      const answer = answerTo('names');
      const piece = 'x'.repeat(100_000);
      answer.stream.write(piece);
      const bytes = answer.bytes().buffer.byteLength;
      for (let n = 1; n < pieces; n += 1) answer.stream.write(piece);
      answer.release(whole);
      return bytes;
    };
    expect(begun(50)).toBeLessThan(1_000_000);
    expect(begun(1, false)).toBeGreaterThan(5_000_000);
    expect(begun(30, false)).toBeGreaterThan(5_000_000);
    vi.advanceTimersByTime(6_000);
    const short = answerTo('names');
    short.stream.write('x'.repeat(500));
    expect(short.bytes().buffer.byteLength).toBeLessThan(1_000_000);
    short.release(false);
    expect(begun(1)).toBeGreaterThan(5_000_000);
    expect(begun(50)).toBeLessThan(1_000_000);
    for (let n = 0; n < 200; n += 1) {
      const other = answerTo(String(n));
      other.stream.write('x'.repeat(1_100_000));
      other.release(true);
    }
    expect(begun(1)).toBeLessThan(1_000_000);
  });
});
