/**
 * Findings as they are shown: by the rules, without those of a moment, and with severities that fall slowly
 * (`lib/domain/rules/easing.ts`).
 */
import type { Finding } from '@/lib/domain/finding';
import type { World } from '@/lib/domain/model';
import { type Easings, ease, eased, easesAtMs, noEasings } from '@/lib/domain/rules/easing';
import type { FindingMoved } from '@/lib/domain/rules/table';

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

  const change = (moved: readonly FindingMoved[], afterGap: boolean): readonly FindingMoved[] => {
    const after = ease(easings, moved, now(), afterGap);
    easings = after.easings;
    clearTimeout(timer);
    const atMs = easesAtMs(easings);
    if (atMs !== null) timer = setTimeout(() => onEased(change([], false)), Math.max(1, atMs - now()));
    return after.moved;
  };
  const reset = () => {
    clearTimeout(timer);
    easings = noEasings;
  };
  return {
    one: (finding) => eased(finding, easings),
    allOf: (world) => {
      const held = easings;
      return lasting(() => {
        const all = findingsOf(world);
        return held.size === 0 ? all : all.flatMap((one) => eased(one, held) ?? []);
      });
    },
    change,
    reset,
    close: reset,
  };
}
