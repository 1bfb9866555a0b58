/** The steps of a hub that are kept for viewers that come back. */
import { rowsIn, type Step } from '@/lib/domain/world/change';

/** Steps kept for viewers that come back: enough for a minute of a busy cluster. */
const ringMax = 512;
/** And no more rows than these in all of them: a mass change would otherwise keep many copies of the world. */
const ringRowsMax = 50_000;
/**
 * A step that puts more rows than these, and more than half of what a snapshot has, is not kept, nor what came before it: the
 * snapshot serves as well. The first read is such a step, and with all findings of its world it would be kept for hours.
 */
const wholeRowsMin = 100;

const sizeOf = ({ patch }: Step) => 1 + rowsIn(patch);
/** Renewals and edits do not count: they say little of each of many rows. */
const putOf = ({ patch: { put } }: Step) =>
  (put.locks?.length ?? 0) + (put.semaphores?.length ?? 0) + (put.sessions?.length ?? 0);

/** Recent steps, each beginning where the one before ends. */
export function createRing(max = ringMax, rowsMax = ringRowsMax) {
  const steps: Step[] = [];
  let rows = 0;
  return {
    /** `snapshotRows`: of the snapshot that the step leads to. */
    push: (step: Step, snapshotRows = Number.POSITIVE_INFINITY) => {
      if (putOf(step) > Math.max(wholeRowsMin, snapshotRows / 2)) {
        steps.length = 0;
        rows = 0;
        return;
      }
      steps.push(step);
      rows += sizeOf(step);
      while (steps.length > max || (rows > rowsMax && steps.length > 0)) {
        const dropped = steps.shift();
        if (dropped !== undefined) rows -= sizeOf(dropped);
      }
    },
    /** The steps that lead from `version` to `current`, or `null` when they are not all there. */
    since: (version: number, current: number): readonly Step[] | null => {
      if (version === current) return [];
      const first = steps.findIndex(({ patch }) => patch.from === version);
      return first === -1 ? null : steps.slice(first);
    },
  };
}
