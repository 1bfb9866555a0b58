'use client';
/**
 * The reason why a row needs attention, and the action that its findings recommend. From 1280 px on below the name,
 * across the columns; from 1600 px in a column of its own.
 */
import { useActionContext } from '@/components/actions/action-context';
import { AskButton } from '@/components/actions/ask-button';
import { useMessages } from '@/components/dom/locale';
import { useNow, useZone } from '@/components/live/clock';
import { useFreshness } from '@/components/live/freshness';
import { useStopped } from '@/components/live/frozen';
import { useSourceState, useSourceTitle } from '@/components/live/sources';
import { useLiveView } from '@/lib/client/page-data';
import type { Action } from '@/lib/domain/actions/action';
import { outageOf } from '@/lib/domain/outage';
import { attentionSentence } from '@/lib/i18n/sentences';
import { blockedReason } from '@/lib/view/actions/blocked-reason';
import { actionWords } from '@/lib/view/actions/button-words';
import { remedyOf } from '@/lib/view/actions/remedy';
import { boundTo, pinnedOf } from '@/lib/view/actions/request';
import type { BoardRow } from '@/lib/view/board-rows';

interface WhyProps {
  readonly row: BoardRow;
  /** Id of the text, which describes the row's link. */
  readonly textId: string;
  /** Tab index of the button, among the keys of the list. */
  readonly tabIndex: number;
}

export function Why({ row, textId, tabIndex }: WhyProps) {
  const { severities, colon } = useMessages();
  const remedy = remedyOf(row.of, row.findings);
  return (
    <span className="absolute inset-[auto_4rem_0.25rem_2.25rem] grid h-6 grid-cols-[minmax(0,38rem)_auto] items-center justify-start gap-x-6 wide:static wide:h-auto wide:grid-cols-[minmax(0,34rem)_auto] wide:gap-x-4">
      <span id={textId} className="line-clamp-1 text-[12px] text-ink-soft leading-4 wide:line-clamp-3">
        <span className="sr-only">{`${severities[row.urgency === 0 ? 'urgent' : 'warning']}${colon}`}</span>
        <Words row={row} />
      </span>
      {remedy === null ? null : <RowAction row={row} action={remedy} tabIndex={tabIndex} />}
    </span>
  );
}

/** A component of its own, because the sentence may name an instant and then changes with the clock. */
function Words({ row: { of, findings } }: { row: BoardRow }) {
  const m = useMessages();
  return <>{attentionSentence(of, { nowMs: useNow(), zone: useZone() }, m, findings)}</>;
}

/**
 * The button of a row, which reads only its row. A screenful of buttons that each read the world, and asked for their
 * rights, would slow typing. Its dialog asks.
 */
function RowAction({ row, action, tabIndex }: { row: BoardRow; action: Action; tabIndex: number }) {
  const m = useMessages();
  const { ask, actionsOff } = useActionContext();
  const freshness = useFreshness(action.source);
  const source = useSourceState(action.source);
  const { readOnly } = source;
  const outage = outageOf(source);
  const frozen = useStopped();
  const titleOf = useSourceTitle();
  const view = useLiveView();
  const own = {
    locks: row.of.kind === 'lock' ? [row.of] : [],
    semaphores: row.of.kind === 'semaphore' ? [row.of] : [],
    sessions: [],
  };
  const { text, whole, label, name } = actionWords(action, own, m);
  return (
    <AskButton
      text={text}
      whole={whole}
      tone="danger"
      reason={blockedReason(
        { permission: { allowed: true }, freshness, outage, actionsOff, frozen, readOnly },
        m,
      )}
      bound={boundTo(action, own)}
      onAsk={() => ask({ action, label, name, ...pinnedOf(action, view.snapshot.get()), limitTyped: '' })}
      inRow={{ label: [text, row.name, titleOf(row.of.source)].filter(Boolean).join(' · '), tabIndex }}
    />
  );
}
