/**
 * Findings as shown: by the rules, without momentary ones, and with severities that fall slowly
 * (`lib/domain/rules/easing.ts`).
 */
import type { Finding } from '@/lib/domain/findings/finding';
import type { World } from '@/lib/domain/model';
import { type Easings, ease, eased, easesAtMs, noEasings } from '@/lib/domain/rules/easing';
import type { FindingMoved } from '@/lib/domain/rules/table';
import { withRows } from '@/lib/domain/sorted';

export interface ShownFindings {
  /** A finding as it is shown now; `null`: it is not shown yet. */
  one(finding: Finding): Finding | null;
  /** However late it is called. */
  allOf(world: World): () => readonly Finding[];
  /** `afterGap`: the world was not watched before, so a new finding may be old. */
  change(moved: readonly FindingMoved[], afterGap: boolean): readonly FindingMoved[];
  reset(): void;
  close(): void;
}

/** Changes that may be applied to the last result. */
const sinceMax = 5_000;

/** Computes at the first call, and again once the result was garbage-collected. */
function weaklyCached<T extends object>(make: () => T): () => T {
  let cached: WeakRef<T> | null = null;
  return () => {
    const known = cached?.deref();
    if (known !== undefined) return known;
    const fresh = make();
    cached = new WeakRef(fresh);
    return fresh;
  };
}

/** `onEased`: time alone has changed the shown findings. */
export function createShownFindings({
  findingsOf,
  now,
  onEased,
}: {
  readonly findingsOf: (world: World) => readonly Finding[];
  readonly now: () => number;
  readonly onEased: (moved: readonly FindingMoved[]) => void;
}): ShownFindings {
  let easings: Easings = noEasings;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Held weakly. The next result is built from it, so that unchanged findings stay the same objects. */
  let last: {
    readonly all: WeakRef<readonly Finding[]>;
    readonly since: Map<string, Finding | null>;
  } | null = null;
  let turn = 0;
  const note = (moved: readonly FindingMoved[]) => {
    turn += 1;
    if (last === null || moved.length === 0) return;
    // Computing all findings costs less.
    if (last.all.deref() === undefined || last.since.size + moved.length > sinceMax) last = null;
    else for (const { was, is } of moved) last.since.set((is ?? was)?.id ?? '', is);
  };
  const findingsWith = (world: World, easingsNow: Easings): readonly Finding[] => {
    const all = findingsOf(world);
    return easingsNow.size === 0 ? all : all.flatMap((one) => eased(one, easingsNow) ?? []);
  };

  const change = (moved: readonly FindingMoved[], afterGap: boolean): readonly FindingMoved[] => {
    const after = ease(easings, moved, now(), afterGap);
    easings = after.easings;
    clearTimeout(timer);
    const atMs = easesAtMs(easings);
    note(after.moved);
    if (atMs !== null) timer = setTimeout(() => onEased(change([], false)), Math.max(1, atMs - now()));
    return after.moved;
  };
  const reset = () => {
    clearTimeout(timer);
    easings = noEasings;
    last = null;
    turn += 1;
  };
  return {
    one: (finding) => eased(finding, easings),
    allOf: (world) => {
      const [easingsThen, of] = [easings, turn];
      return weaklyCached(() => {
        if (of !== turn) return findingsWith(world, easingsThen);
        const before = last?.all.deref();
        const all =
          before === undefined
            ? findingsWith(world, easingsThen)
            : withRows(before, last?.since ?? new Map(), ({ id }) => id);
        last = { all: new WeakRef(all), since: new Map() };
        return all;
      });
    },
    change,
    reset,
    close: reset,
  };
}
