'use client';
import { clsx } from 'clsx';
import { useMemo } from 'react';
import { useMessages } from '@/components/dom/locale';
import { ChangesButton } from '@/components/list/changes-button';
import { holdHandlers, usePlaces, useSteadyRows } from '@/components/list/stable-order';
import { Room } from '@/components/ui/room';
import { evict } from '@/lib/domain/actions/semaphore';
import type { Holder, Session } from '@/lib/domain/model';
import { HolderBlock } from './party';

/** Up to this many holders, their evidence is open from the start. */
const openMax = 4;

interface HoldersProps {
  readonly prefix: string;
  readonly holders: readonly Holder[];
  readonly sessions: readonly Session[];
  /** False where the record cannot be read, which is not the same as no holders. */
  readonly read: boolean;
}

/**
 * The holders of a semaphore. They stay in place under the pointer, so that a click evicts the holder it aimed
 * at.
 */
export function Holders({ prefix, holders, sessions, read }: HoldersProps) {
  const { subject } = useMessages();
  const rows = useMemo(() => holders.map((holder) => ({ id: holder.sessionId, holder })), [holders]);
  // As on the shelf: a newcomer takes a free place, so that the others need not move.
  const steady = useSteadyRows(usePlaces(rows), prefix);
  if (steady.rows.length === 0)
    return <p className="text-ink-soft">{read ? subject.none.holders : subject.none.holdersUnread}</p>;
  return (
    <div {...holdHandlers(steady)}>
      {steady.rows.map(({ row: { id, holder }, gone }, place) => (
        <Room
          // biome-ignore lint/suspicious/noArrayIndexKey: the place stays while its holder changes.
          key={place}
          of={id}
          className={clsx(
            'border-line border-b py-4 first:pt-0 last:border-b-0 last:pb-0',
            gone && 'not-fresh',
          )}
        >
          <HolderBlock
            key={id}
            holder={holder}
            session={sessions.find((session) => session.id === id) ?? null}
            of={{ kind: 'semaphore', prefix }}
            action={actionFor(holder, prefix)}
            open={holders.length <= openMax}
            gone={gone}
          />
        </Room>
      ))}
      <ChangesButton changes={steady.changes} onApply={steady.applyNow} />
    </div>
  );
}

/** The button on top prunes all ghosts together; other holders are evicted one by one. */
function actionFor(holder: Holder, prefix: string) {
  if (holder.verdict === 'ghost') return null;
  return evict({ prefix }, holder.sessionId);
}
