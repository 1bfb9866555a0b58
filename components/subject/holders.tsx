'use client';
import { clsx } from 'clsx';
import { useMemo } from 'react';
import { useAllMessages } from '@/components/dom/locale';
import { ChangesButton } from '@/components/list/changes-button';
import { holdHandlers, usePlaces, useSteadyRows } from '@/components/list/stable-order';
import { Room } from '@/components/ui/room';
import type { Action } from '@/lib/domain/actions/action';
import type { Capabilities } from '@/lib/domain/capabilities';
import { doubts } from '@/lib/domain/holders';
import { type Holder, type Session, type Subject, subjectId } from '@/lib/domain/model';
import { HolderBlock } from './party';

/** Up to this many holders, all are shown, with their evidence. */
const openMax = 4;

interface HoldersProps {
  readonly of: Subject;
  readonly holds: Capabilities['holds'];
  /** The one that frees this one alone; `null` where there is none. */
  readonly actionOf: (holder: Holder) => Action | null;
  readonly holders: readonly Holder[];
  readonly sessions: readonly Session[];
  /** Replaces an empty list. */
  readonly none: string;
}

interface HolderRow {
  readonly id: string;
  readonly holder: Holder;
}

const isDoubtful = ({ holder }: HolderRow) => holder.verdict !== 'alive';
const byDoubt = (a: HolderRow, b: HolderRow) =>
  doubts.indexOf(a.holder.verdict) - doubts.indexOf(b.holder.verdict);

/**
 * The holders of a semaphore, or several of a lock, the doubtful ones first. They stay in place under the pointer, so that a click evicts the
 * holder it aimed at.
 */
export function Holders({ of, holds, actionOf, holders, sessions, none }: HoldersProps) {
  const { subject } = useAllMessages();
  const rows = useMemo(() => holders.map((holder) => ({ id: holder.sessionId, holder })), [holders]);
  // A newcomer takes a free place, as on the shelf, so that the others need not move.
  const doubtful = usePlaces(rows.filter(isDoubtful).sort(byDoubt));
  const alive = usePlaces(rows.filter((row) => !isDoubtful(row)));
  const steady = useSteadyRows([...doubtful, ...alive], subjectId(of));
  if (steady.rows.length === 0) return <p className="text-ink-soft">{none}</p>;
  // A row that is held in place stays in its part, whatever happens to its holder.
  const first = steady.rows.filter(({ placed }) => isDoubtful(placed));
  const rest = steady.rows.filter(({ placed }) => !isDoubtful(placed));
  const isFew = holders.length <= openMax;
  const blocks = (part: typeof steady.rows, name: string) =>
    part.map(({ row: { id, holder }, gone }, place) => (
      <Room
        // biome-ignore lint/suspicious/noArrayIndexKey: the place stays while its holder changes.
        key={`${name} ${place}`}
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
          of={of}
          action={actionOf(holder)}
          holds={holds}
          open={isFew || (name === 'doubtful' && part.length <= openMax)}
          gone={gone}
        />
      </Room>
    ));
  return (
    <div {...holdHandlers(steady)}>
      {blocks(first, 'doubtful')}
      {isFew ? (
        blocks(rest, 'alive')
      ) : rest.length === 0 ? null : (
        // The browser's own fold: its search in the page opens it.
        <details className="border-line border-t pt-3 first:border-t-0 first:pt-0">
          <summary className="w-fit cursor-pointer rounded-[5px] py-1 text-[13px] text-ink-soft hover:text-ink max-md:py-[12px]">
            {subject.alive(rest.length)}
          </summary>
          <div className="pt-3">{blocks(rest, 'alive')}</div>
        </details>
      )}
      <ChangesButton changes={steady.changes} onApply={steady.applyNow} />
    </div>
  );
}
