'use client';
import { useMessages } from '@/components/dom/locale';
import { Empty } from '@/components/ui/empty';
import { useConnection } from '@/lib/client/page-data';
import { wasRead } from '@/lib/domain/world/snapshot';
import { AsOf } from './freshness';
import { useSourceState } from './sources';

/** An empty list that may be out of date. A list that was read once is empty as of then; an unread one is unknown. */
export function EmptyOld({ none }: { none: string }) {
  const { shell, outage } = useMessages();
  const source = useSourceState();
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
