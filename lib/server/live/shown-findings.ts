/**
 * Findings as they are shown: by the rules, without those of a moment, and with severities that fall slowly
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
  /** Gives all findings of a world as they are shown now, whoever asks later. */
  allOf(world: World): () => readonly Finding[];
  /**
   * What becomes of what is shown, from what becomes of what the rules say. `afterGap`: nobody looked before, so what is found
   * now may have been there for long.
   */
  change(moved: readonly FindingMoved[], afterGap: boolean): readonly FindingMoved[];
  /** Shows everything as the rules say it. */
  reset(): void;
  close(): void;
}

/** Changes that are put into those that were asked for last. */
const sinceMax = 5_000;

/** Makes it at the first call, and anew when nobody had it any more. */
function lasting<T extends object>(make: () => T): () => T {
  let made: WeakRef<T> | null = null;
  return () => {
    const known = made?.deref();
    if (known !== undefined) return known;
    const fresh = make();
    made = new WeakRef(fresh);
    return fresh;
  };
}

/** `onEased`: findings are shown otherwise by the time alone. */
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
  /**
   * Those that were asked for last, as long as somebody has them, and what became of them since: so that the next are made of them,
   * and who has both finds the same objects in both.
   */
  let last: {
    readonly all: WeakRef<readonly Finding[]>;
    readonly since: Map<string, Finding | null>;
  } | null = null;
  /** How often anything has changed. */
  let turn = 0;
  const note = (moved: readonly FindingMoved[]) => {
    turn += 1;
    if (last === null || moved.length === 0) return;
    // More than a mass change is worth.
    if (last.all.deref() === undefined || last.since.size + moved.length > sinceMax) last = null;
    else for (const { was, is } of moved) last.since.set((is ?? was)?.id ?? '', is);
  };
  const madeOf = (world: World, held: Easings): readonly Finding[] => {
    const all = findingsOf(world);
    return held.size === 0 ? all : all.flatMap((one) => eased(one, held) ?? []);
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
      const [held, of] = [easings, turn];
      return lasting(() => {
        // Whoever asks for those of a world that is past gets them made of it.
        if (of !== turn) return madeOf(world, held);
        const before = last?.all.deref();
        const all =
          before === undefined
            ? madeOf(world, held)
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
