'use client';
/**
 * Warns that the view uses one person's rights alone, so unreadable rows look absent. Also warns that rights are
 * checked less often.
 */
import { useMessages } from '@/components/dom/locale';
import { useSnapshotPart } from '@/lib/client/page-data';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { formatDuration } from '@/lib/i18n/format/format';

const selectSight = ({ source }: Snapshot) => source.sight ?? null;
const selectEvery = ({ source }: Snapshot) => source.rightsEveryMs ?? null;

export function OwnSight() {
  const { shell, units } = useMessages();
  const sight = useSnapshotPart(selectSight);
  const everyMs = useSnapshotPart(selectEvery);
  if (sight === null && everyMs === null) return null;
  return (
    <p className="border-line border-b bg-brass-wash px-4 py-1.5 text-[13px] text-ink-soft sm:px-6">
      {everyMs === null ? shell.ownSight : shell.slowRights(formatDuration(everyMs, units))}
    </p>
  );
}
