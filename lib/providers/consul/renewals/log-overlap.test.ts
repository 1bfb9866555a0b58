import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLogOverlap, type LogStream } from './log-overlap';

const stream = (): LogStream => ({ firstMark: null, mark: null, renewals: 0, ahead: [] });

function reading() {
  const told: string[] = [];
  const marks: number[] = [];
  const log = createLogOverlap<LogStream>({
    onRenewal: (id) => told.push(id),
    onMark: (number) => marks.push(number),
  });
  return { log, told, marks };
}

/** A log: a number is a mark, a text is a renewal. */
type Line = number | string;
const show = (log: ReturnType<typeof reading>['log'], one: LogStream, line: Line | undefined) => {
  if (typeof line === 'number') expect(log.mark(one, line)).toBe(true);
  else if (line !== undefined) log.renewal(one, line, 0);
};

test('the second stream continues the first where it stopped, whether it was ahead or behind', () => {
  const lines: Line[] = [1, 'a', 'b', 2, 'c', 'd', 3, 'e'];
  for (const [firstTo, secondTo] of [
    [5, 8],
    [8, 5],
    [4, 4],
  ] as const) {
    const { log, told, marks } = reading();
    const [one, two] = [stream(), stream()];
    log.add(one);
    log.add(two);
    for (const line of lines.slice(0, firstTo)) show(log, one, line);
    for (const line of lines.slice(1, secondTo)) show(log, two, line);
    expect(log.joined()).toBe(true);
    log.handOver();
    for (const line of lines.slice(secondTo)) show(log, two, line);
    expect(told).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(marks).toEqual([1, 2, 3]);
  }
});

test('a stream that lacks a mark says so', () => {
  const { log } = reading();
  const one = stream();
  log.add(one);
  expect(log.mark(one, 4)).toBe(true);
  expect(log.mark(one, 6)).toBe(false);
});

test('streams that have not shown one mark both do not continue each other', () => {
  const { log } = reading();
  const [one, two] = [stream(), stream()];
  log.add(one);
  log.add(two);
  expect(log.joined()).toBe(false);
  log.mark(one, 1);
  log.mark(two, 2);
  expect(log.joined()).toBe(false);
  expect(() => log.handOver()).toThrow();
  log.mark(one, 2);
  expect(log.joined()).toBe(true);
});

test('every renewal is reported once and in order, at any cuts of two streams', () => {
  const line = fc.option(fc.constant('renewal'), { nil: 'mark', freq: 3 });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), fc.array(fc.nat({ max: 5 })), (kinds, steps) => {
      let marks = 0;
      const lines: Line[] = [1, ...kinds.map((kind, n) => (kind === 'mark' ? ++marks + 1 : `r${n}`))];
      const { log, told } = reading();
      let one = { ...stream(), at: 0 };
      let two: typeof one | null = null;
      const to = (of: typeof one) => {
        show(log, of, lines[of.at]);
        of.at += 1;
      };
      log.add(one);
      for (const step of steps) {
        if (step < 2) to(one);
        else if (two === null) {
          // It begins with what the agent writes from now on, which the first may not have read yet.
          two = { ...stream(), at: Math.min(lines.length, one.at + step - 2) };
          log.add(two);
        } else if (step < 4) to(two);
        else if (log.joined()) {
          log.handOver();
          one = two;
          two = null;
        }
      }
      while (one.at < lines.length) to(one);
      expect(told).toEqual(lines.filter((said) => typeof said === 'string'));
    }),
  );
});
