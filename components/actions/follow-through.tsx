'use client';
/** The events after an action in the live data, with times, until the story ends. */
import { useEffect, useState } from 'react';
import { useAllMessages } from '@/components/dom/locale';
import { Time, useNow } from '@/components/live/clock';
import { useFreshness } from '@/components/live/freshness';
import { Lamp } from '@/components/marks/lamp';
import { Button } from '@/components/ui/button';
import { isOld } from '@/lib/client/freshness';
import { useSnapshot } from '@/lib/client/page-data';
import { serverClock } from '@/lib/client/server-clock';
import {
  type Aftermath,
  type AftermathStep,
  isTaker,
  listedStill,
  lookAtAll,
  patienceMs,
  queuePatienceMs,
  type SeenCode,
  standing,
  storyOf,
} from '@/lib/domain/actions/aftermath';
import type { Undo } from '@/lib/domain/actions/plan';
import { refusedUntilMs } from '@/lib/domain/delay-rest';
import { type Lock, shortId, subjectId, subjectName } from '@/lib/domain/model';
import { lockName } from '@/lib/domain/subject';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { formatDuration, formatRest } from '@/lib/i18n/format/format';
import { worded } from '@/lib/i18n/format/worded';
import { actionWords, handsOver } from '@/lib/view/actions/button-words';
import type { DialogState } from '@/lib/view/actions/dialog-state';
import { pinnedOf } from '@/lib/view/actions/request';
import type { LampKind } from '@/lib/view/board-rows';
import { useActionContext } from './action-context';
import { Parts } from './parts';

const lamps: Readonly<Record<SeenCode, LampKind>> = {
  gone: 'ghost',
  'slot-free': 'free',
  'lock-free': 'free',
  taken: 'alive',
  retaken: 'alive',
  returned: 'alive',
  delayed: 'delayed',
  'delay-over': 'free',
  limit: 'alive',
  available: 'free',
  'waits-not': 'ghost',
  'session-gone': 'ghost',
  'entry-gone': 'ghost',
};

interface FollowProps {
  readonly state: Extract<DialogState, { at: 'done' }>;
  readonly pinned: Aftermath;
}

export function FollowThrough({ state, pinned }: FollowProps) {
  const m = useAllMessages();
  const { action, units } = m;
  const snapshot = useSnapshot();
  const old = isOld(useFreshness(pinned.action.source));
  const nowMs = useNow();
  const [aftermath, setAftermath] = useState(pinned);
  useEffect(() => setAftermath((before) => lookAtAll(before, snapshot, serverClock.now())), [snapshot]);
  const steps = storyOf(aftermath, nowMs);
  const where = standing(aftermath, { sentAtMs: state.sentAtMs, nowMs });
  const many = new Set(steps.map((step) => subjectId(step.subject))).size > 1;
  const answerLost = state.outcome.warnings.some((warning) => warning.code === 'answer-lost');
  return (
    <div className="flex flex-col gap-4">
      {state.outcome.done ? null : <p className="font-medium text-danger">{action.done.partly}</p>}
      <div>
        <h3 className="mb-2 text-[13px] text-ink-dim">{action.done.followTitle}</h3>
        <ol aria-live="polite" className="flex flex-col gap-2">
          <Line lamp="waiting" atMs={state.sentAtMs} text={action.done.sent} />
          <Line
            lamp="waiting"
            atMs={state.doneAtMs}
            text={answerLost ? action.done.readAfterwards : action.done.confirmed}
          />
          {linesOf(steps).map(([step, ...others]) => (
            <Line
              key={`${step.code} ${subjectId(step.subject)} ${step.whom?.session ?? ''}`}
              lamp={lamps[step.code]}
              atMs={step.atMs}
              text={
                step.code === 'waits-not' ? (
                  <WaitsNot steps={[step, ...others]} />
                ) : (
                  <StepText step={step} pinned={pinned} />
                )
              }
              place={many ? subjectName(step.subject) : null}
            />
          ))}
        </ol>
      </div>
      <p role="status" className="text-[13px] text-ink-soft">
        {old
          ? action.follow.notFresh
          : where === 'unseen'
            ? action.follow.waitingToSee
            : where === 'watching'
              ? action.follow.watching
              : where === 'nobody'
                ? action.follow.nobody(formatDuration(patienceMs, units))
                : where === 'queue'
                  ? action.follow.watchingQueue
                  : where === 'listed'
                    ? action.follow.stillListed(
                        listedStill(aftermath),
                        formatDuration(queuePatienceMs, units),
                      )
                    : ''}
      </p>
      {where === 'watching' && !old ? <DelayRest pinned={pinned} world={snapshot} nowMs={nowMs} /> : null}
      <Parts parts={state.outcome.parts} />
      {state.outcome.warnings.map((warning) => (
        <p key={warning.code} className="text-[13px] text-ink-soft">
          {worded(warning, m.plan.warnings)}
        </p>
      ))}
      <UndoLine undo={state.planned.plan.undo} before={pinned} />
    </div>
  );
}

type Together = readonly [AftermathStep, ...AftermathStep[]];

/** One line for each step, except clients that stopped waiting at the same time: they may be hundreds. */
function linesOf(steps: readonly AftermathStep[]): readonly Together[] {
  const lines: Together[] = [];
  for (const step of steps) {
    const last = lines.at(-1);
    const same = last?.[0].code === step.code && last[0].atMs === step.atMs;
    if (step.code === 'waits-not' && same) lines[lines.length - 1] = [...last, step];
    else lines.push([step]);
  }
  return lines;
}

const nameOf = ({ whom }: AftermathStep) => (whom === null ? '' : (whom.label ?? shortId(whom.session)));

/** A line with more names is not readable. */
const namesMax = 5;

function WaitsNot({ steps }: { steps: Together }) {
  const { action, audit } = useAllMessages();
  const names = steps.slice(0, namesMax).map(nameOf);
  const rest = steps.length - names.length;
  const who = [names.join(', '), ...(rest > 0 ? [audit.more(rest)] : [])].join(' ');
  return action.follow.waitsNot(who, steps.length);
}

/** The time for which the backend still refuses the lock. Not announced, because it changes every second. */
function DelayRest({ pinned, world, nowMs }: { pinned: Aftermath; world: Snapshot; nowMs: number }) {
  const { action, units } = useAllMessages();
  const keys = new Set(
    pinned.places.flatMap(({ subject }) => (subject.kind === 'lock' ? lockName(subject) : [])),
  );
  const ends = world.locks.flatMap((lock) =>
    keys.has(lockName(lock)) ? (refusedUntilMs(lock, nowMs) ?? []) : [],
  );
  if (ends.length === 0) return null;
  return (
    <p className="text-[13px] text-ink-soft tabular-nums">
      {action.follow.delayRest(formatRest(Math.max(...ends), nowMs, units))}
    </p>
  );
}

interface LineProps {
  readonly lamp: LampKind;
  readonly atMs: number;
  readonly text: React.ReactNode;
  readonly place?: string | null;
}

function Line({ lamp, atMs, text, place = null }: LineProps) {
  return (
    <li className="flex items-center gap-3">
      <span className="w-[4.5rem] shrink-0 text-ink-dim">
        <Time atMs={atMs} />
      </span>
      <Lamp kind={lamp} />
      <span className="min-w-0">
        {text}
        {place === null ? null : <code className="ml-2 break-all text-[12px] text-ink-dim">{place}</code>}
      </span>
    </li>
  );
}

function lockBefore({ places }: Aftermath): Lock | null {
  const before = places[0]?.before ?? null;
  return before?.kind === 'lock' ? before : null;
}

function StepText({ step, pinned }: { step: AftermathStep; pinned: Aftermath }) {
  const { follow: texts } = useAllMessages().action;
  const name = nameOf(step);
  const node = isTaker(step) ? step.whom?.node : null;
  const who = node == null ? name : `${name} (${node})`;
  switch (step.code) {
    case 'gone':
      return texts.gone(who);
    case 'slot-free':
      return texts.slotFree(step.count ?? 0);
    case 'lock-free':
      return texts.lockFree;
    case 'delay-over':
      return texts.delayOver;
    case 'taken':
      return handsOver(pinned.action, lockBefore(pinned)) ? texts.handedOver(who) : texts.taken(who);
    case 'retaken':
      return texts.retaken(who);
    case 'returned':
      return texts.returned(who);
    case 'limit':
      return texts.limit(step.count ?? 0);
    case 'available':
      return texts.available(step.count ?? 0);
    case 'waits-not':
      return texts.waitsNot(who, 1);
    case 'session-gone':
      return texts.sessionGone;
    case 'entry-gone':
      return texts.entryGone;
    case 'delayed':
      // A fixed time: a countdown in a list of past events would end as "0 s".
      return step.untilMs === null ? (
        texts.delayed
      ) : (
        <>
          {texts.delayedUntil}
          <Time atMs={step.untilMs} />
        </>
      );
  }
}

/**
 * The undo, after the action: one button that plans it like any other action, or the reason for its absence.
 */
function UndoLine({ undo, before }: { undo: Undo; before: Aftermath }) {
  const m = useAllMessages();
  const world = useSnapshot();
  const { ask } = useActionContext();
  const { action } = undo;
  // A prune removes only records that no client has; its plan already said so.
  if (undo.code === 'not-needed') return null;
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-line border-t pt-3 text-[13px]">
      <p className="min-w-0 max-w-[60ch] text-ink-soft">
        <span className="text-ink-dim">{m.action.sections.undo}: </span>
        {worded(undo, m.plan.undos)}
      </p>
      {action === null || !('limit' in action && 'limit' in before.action) ? null : (
        <Button
          onClick={() => {
            const { label, name } = actionWords(action, world, m);
            ask({ action, label, name, ...pinnedOf(action, world), limitTyped: String(action.limit) });
          }}
        >
          {m.action.undoButton(action.limit)}
        </Button>
      )}
    </div>
  );
}
