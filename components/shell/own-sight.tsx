'use client';
/** Says that what is shown was judged by one person's rights alone: what they may not read passes for absent. */
import { useMessages } from '@/components/locale';
import { useSnapshotPart } from '@/lib/client/shown';
import type { Snapshot } from '@/lib/domain/snapshot';

const selectSight = ({ source }: Snapshot) => source.sight ?? null;

export function OwnSight() {
  const { shell } = useMessages();
  if (useSnapshotPart(selectSight) === null) return null;
  return (
    <p className="border-line border-b bg-brass-wash px-4 py-1.5 text-[13px] text-ink-soft sm:px-6">
      {shell.ownSight}
    </p>
  );
}
