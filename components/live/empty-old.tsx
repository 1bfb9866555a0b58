'use client';
import { useMessages } from '@/components/dom/locale';
import { Empty } from '@/components/ui/empty';
import { useConnection, useSnapshotPart } from '@/lib/client/shown';
import { type Snapshot, wasRead } from '@/lib/domain/world/snapshot';
import { AsOf } from './freshness';

const selectSource = (snapshot: Snapshot) => snapshot.source;

/**
 * In place of a list with nothing in it, while that may no longer be so: an empty list that was read is what is known, and of
 * when; of one that never was nothing is. Which of the two links is broken is said in the banner.
 */
export function EmptyOld({ none }: { none: string }) {
  const { shell, outage } = useMessages();
  const source = useSnapshotPart(selectSource);
  const isLost = useConnection().state === 'lost';
  const { banner } = shell;
  if (wasRead(source))
    return (
      <Empty
        title={
          <>
            <AsOf />
            {none}
          </>
        }
        text={banner.sinceText}
      />
    );
  if (isLost) return <Empty title={outage.outages['console-unreachable'].title} text={banner.cutOffText} />;
  return <Empty title={banner.unread} text={banner.unreadText} />;
}
