import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Finding, type Severity, severities } from '@/lib/domain/findings/finding';
import { holder, semaphore, waiter, world } from '@/lib/domain/fixture/world';
import { calmMs, type Easings, ease, eased, easesAtMs, momentMs, noEasings } from './easing';
import { createFindingChanges, findingsOf } from './table';

const ghosts = (waiters: number) =>
  world({
    semaphores: [
      semaphore({
        holders: [holder('g', 'ghost')],
        waiters: Array.from({ length: waiters }, (_, i) => waiter(`w${i}`)),
      }),
    ],
  });

/** Feeds worlds at their times, as a hub does, and returns the shown findings after each. */
function telling() {
  const changesOf = createFindingChanges();
  let easings: Easings = noEasings;
  let shown = new Map<string, Finding>();
  return {
    /** `isFirst`: no earlier look. */
    at: (nowMs: number, next: ReturnType<typeof ghosts> | null, isFirst = false) => {
      const found = ease(easings, next === null ? [] : changesOf(next), nowMs, isFirst);
      easings = found.easings;
      shown = new Map(shown);
      for (const { was, is } of found.moved) {
        const id = (is ?? was)?.id ?? '';
        // A reader of changes has their starting point.
        expect(shown.get(id) ?? null).toEqual(was);
        if (is === null) shown.delete(id);
        else shown.set(id, is);
      }
      if (next !== null)
        expect([...shown.values()].sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
          findingsOf(next).flatMap((one) => eased(one, easings) ?? []),
        );
      return [...shown.values()].find(({ code }) => code === 'ghost-slots') ?? null;
    },
    wakesAtMs: () => easesAtMs(easings),
    size: () => easings.size,
  };
}

test('waiters that come and go for three minutes are one urgent finding', () => {
  const { at } = telling();
  const told = new Set<Severity>();
  for (let n = 0; n < 96; n += 1) {
    const one = at(n * 1_875, ghosts(n % 2 === 0 ? 1 : 0), n === 0);
    told.add(one?.severity ?? 'notice');
    // The sentence is about the present, at any severity.
    expect(one?.facts).toMatchObject({ waiting: n % 2 === 0 ? 1 : 0 });
  }
  expect([...told]).toEqual(['urgent']);
});

test('a severity falls by the time alone, and says before when and to what', () => {
  const { at, wakesAtMs } = telling();
  at(0, ghosts(1), true);
  expect(at(1_000, ghosts(0))).toMatchObject({
    severity: 'urgent',
    easing: { to: 'warning', atMs: 1_000 + calmMs },
  });
  expect(wakesAtMs()).toBe(1_000 + calmMs);
  expect(at(calmMs, null)?.severity).toBe('urgent');
  expect(at(1_000 + calmMs, null)).toMatchObject({ severity: 'warning', easing: null });
  expect(wakesAtMs()).toBeNull();
});

test('a severity rises at once, and what is gone is gone at once', () => {
  const { at, size } = telling();
  at(0, ghosts(0), true);
  expect(at(1, ghosts(1))).toMatchObject({ severity: 'urgent', easing: null });
  at(2, ghosts(0));
  expect(at(3, world())).toBeNull();
  expect(size()).toBe(0);
  // A finding that returns later is a new one.
  at(4, ghosts(0));
  expect(at(4 + momentMs, null)?.severity).toBe('warning');
});

test('a clock that is set back does not hold it for longer', () => {
  const { at } = telling();
  at(1e9, ghosts(1), true);
  at(1e9 + 1, ghosts(0));
  expect(at(5, ghosts(0))?.severity).toBe('warning');
  at(6, world());
  at(2e9, ghosts(0));
  expect(at(5, ghosts(0))?.severity).toBe('warning');
});

test('a finding shorter than a moment is never shown, and a lasting one appears by time alone, as severe as it is then', () => {
  const { at, wakesAtMs, size } = telling();
  at(0, world(), true);
  for (let n = 0; n < 20; n += 1) {
    expect(at(n * 2_000, ghosts(1))).toBeNull();
    expect(wakesAtMs()).toBe(n * 2_000 + momentMs);
    expect(at(n * 2_000 + momentMs - 1, ghosts(0))).toBeNull();
    expect(at(n * 2_000 + momentMs - 1, world())).toBeNull();
    expect(size()).toBe(0);
  }
  at(100_000, ghosts(1));
  at(100_500, ghosts(0));
  expect(at(100_000 + momentMs, null)).toMatchObject({ severity: 'warning', easing: null });
  expect(wakesAtMs()).toBeNull();
});

test('a finding from before the first look is shown at once', () => {
  expect(telling().at(0, ghosts(1), true)?.severity).toBe('urgent');
});

test('a kind that no ordinary work leaves is shown at once', () => {
  const changesOf = createFindingChanges();
  ease(noEasings, changesOf(world()), 0);
  const overdue = world({ semaphores: [semaphore({ holders: [holder('o', 'overdue')] })] });
  expect(ease(noEasings, changesOf(overdue), 1).moved.map(({ is }) => is?.code)).toEqual(['overdue-holder']);
});

test('one holder is one finding, at any waiters: overdue, suspect, endless', () => {
  for (const [verdict, code, calm, severe] of [
    ['overdue', 'overdue-holder', 'warning', 'urgent'],
    ['suspect', 'suspect-holder', 'warning', 'urgent'],
    ['immortal', 'endless-holder', 'notice', 'warning'],
    ['node-bound', 'endless-holder', 'notice', 'warning'],
  ] as const) {
    const changesOf = createFindingChanges();
    let easings: Easings = noEasings;
    const told: string[] = [];
    const at = (nowMs: number, waiters: number) => {
      const next = world({
        semaphores: [
          semaphore({
            holders: [holder('h', verdict)],
            waiters: Array.from({ length: waiters }, (_, i) => waiter(`w${i}`)),
          }),
        ],
      });
      const found = ease(easings, changesOf(next), nowMs);
      easings = found.easings;
      return findingsOf(next).flatMap((one) => eased(one, easings) ?? []);
    };
    at(0, 0);
    for (let n = 1; n < 90; n += 1)
      for (const one of at(n * 2_000, n % 2)) told.push(`${one.severity} ${one.code}`);
    expect(new Set(told)).toEqual(new Set([`${severe} ${code}`]));
    expect(told).toHaveLength(89);
    at(90 * 2_000, 0);
    expect(at(90 * 2_000 + calmMs, 0)).toMatchObject([{ code, severity: calm }]);
  }
});

test('in any order of events a finding is shown once it has lasted, never less severe than it is, never lowered early, and removed when gone', () => {
  const moves = fc.array(fc.tuple(fc.integer({ min: 0, max: 20_000 }), fc.constantFrom(0, 1, 2, null)), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(moves, (all) => {
      const { at, size } = telling();
      let nowMs = 0;
      let urgentAtMs = Number.NEGATIVE_INFINITY;
      let sinceMs = Number.POSITIVE_INFINITY;
      for (const [afterMs, waiters] of all) {
        nowMs += afterMs;
        const next = waiters === null ? world() : ghosts(waiters);
        const raw = findingsOf(next).find(({ code }) => code === 'ghost-slots') ?? null;
        const one = at(nowMs, next);
        if (raw === null) {
          sinceMs = Number.POSITIVE_INFINITY;
          urgentAtMs = Number.NEGATIVE_INFINITY;
          expect(one).toBeNull();
          expect(size()).toBe(0);
          continue;
        }
        sinceMs = Math.min(sinceMs, nowMs);
        expect(one === null).toBe(nowMs < sinceMs + momentMs);
        if (one === null) continue;
        expect(severities.indexOf(one.severity)).toBeLessThanOrEqual(severities.indexOf(raw.severity));
        if (raw.severity === 'urgent') urgentAtMs = nowMs;
        if (nowMs < urgentAtMs + calmMs) expect(one.severity).toBe('urgent');
      }
    }),
  );
});
