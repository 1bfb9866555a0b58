/** The recent steps of a hub. */
import { rowsIn, type WorldStep } from '@/lib/domain/world/change';

/** Enough for a minute of a busy cluster. */
const ringMax = 512;
/** Mass changes would otherwise keep many copies of the world. */
const ringRowsMax = 50_000;
/**
 * A step that puts more rows than this, and than half of the snapshot, is dropped with all earlier steps. The snapshot
 * serves as well.
 */
const wholeRowsMin = 100;

const sizeOf = ({ patch }: WorldStep) => 1 + rowsIn(patch);
/** Renewals and edits are small. */
const putOf = ({ patch: { put } }: WorldStep) =>
  (put.locks?.length ?? 0) + (put.semaphores?.length ?? 0) + (put.sessions?.length ?? 0);

export function createRing(max = ringMax, rowsMax = ringRowsMax) {
  const steps: WorldStep[] = [];
  let rows = 0;
  return {
    /** `snapshotRows`: of the snapshot that the step leads to. */
    push: (step: WorldStep, snapshotRows = Number.POSITIVE_INFINITY) => {
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
    /** `null` when some are missing. */
    since: (version: number, current: number): readonly WorldStep[] | null => {
      if (version === current) return [];
      const first = steps.findIndex(({ patch }) => patch.from === version);
      return first === -1 ? null : steps.slice(first);
    },
  };
}
