'use client';
/** The action dialog: plan, effects, reason, apply, and the aftermath. */
import { useEffect, useReducer, useRef, useState } from 'react';
import { useAllMessages } from '@/components/dom/locale';
import { useFreshness } from '@/components/live/freshness';
import { stateOf } from '@/components/live/sources';
import { DialogFrame } from '@/components/ui/dialog-frame';
import { applyAction } from '@/lib/client/api';
import { useSnapshot } from '@/lib/client/page-data';
import { useRights } from '@/lib/client/rights';
import { serverClock } from '@/lib/client/server-clock';
import { type Aftermath, pin } from '@/lib/domain/actions/aftermath';
import type { World } from '@/lib/domain/model';
import { outageOf } from '@/lib/domain/outage';
import { isProblem } from '@/lib/domain/problem';
import type { AllMessages } from '@/lib/i18n/messages';
import { oldReason } from '@/lib/view/actions/blocked-reason';
import { actionWords, namedBy, titleOf, verbOf } from '@/lib/view/actions/button-words';
import { type DialogState, dialogStep, mayApply } from '@/lib/view/actions/dialog-state';
import { type DialogRequest, pinnedOf } from '@/lib/view/actions/request';
import { deniedReason, isSameWay, openingWay, rightsAsked, waysOf } from '@/lib/view/actions/rights-asked';
import { useRightsMatter } from './blocked';
import { DialogBody, Typed } from './dialog-body';
import { DialogFoot } from './dialog-foot';
import { type Draft, draftOf, plannable, usePlanning } from './draft';
import { FollowThrough } from './follow-through';

interface ActionDialogProps {
  readonly request: DialogRequest;
  /** The earlier input, where the dialog returns; `null` for a new one. */
  readonly kept: Draft | null;
  /** Reports the input and the stage, so that they outlive a sign-out. */
  readonly onKeep: (draft: Draft, at: DialogState['at']) => void;
  /** The element that had the focus, and gets it back. */
  readonly back: Element | null;
  readonly onClose: () => void;
}

/** The subject as it is shown now; an absent one keeps its name. */
function repinned(request: DialogRequest, world: World, m: AllMessages): Partial<DialogRequest> {
  const shown = pinnedOf(request.action, world);
  const { label, name } = actionWords(request.action, world, m);
  return shown.lock === null && shown.semaphore === null && shown.session === null
    ? {}
    : { ...shown, label: label === '' ? request.label : label, name };
}

/** One action, from its plan to its end. Mounted separately for every request, so nothing is carried over. */
export function ActionDialog({ request: initial, kept, onKeep, back, onClose }: ActionDialogProps) {
  const m = useAllMessages();
  const snapshot = useSnapshot();
  // An action starts from live data only, as on the buttons that open a dialog. Catching up is not live.
  const { source } = initial.action;
  const old = oldReason(
    { freshness: useFreshness(source), outage: outageOf(stateOf(snapshot.source, source)) },
    m,
  );
  const [request, setRequest] = useState(initial);
  // The button has asked for the same rights, so each is known by now if it can be.
  const rights = useRights(
    rightsAsked(initial.action, snapshot, waysOf(initial.action, snapshot)),
    useRightsMatter(),
  );
  const [draft, setDraft] = useState(
    () => kept ?? draftOf({ ...initial, action: openingWay(initial.action, snapshot, rights) }),
  );
  const [round, setRound] = useState(0);
  const [state, dispatch] = useReducer(dialogStep, { at: 'planning' });
  const [pinned, setPinned] = useState<Aftermath | null>(null);
  const reading = useRef<HTMLDivElement>(null);
  const action = plannable(draft, request);
  usePlanning(action, { reason: draft.reason, request, round }, dispatch);
  const named = namedBy(request, 'planned' in state ? state.planned : null, m);
  const title = titleOf(draft.action, named, m);
  const whole = titleOf(draft.action, named, m, Number.POSITIVE_INFINITY);
  useEffect(() => onKeep(draft, state.at), [draft, state.at, onKeep]);
  const ways = waysOf(draft.action, snapshot);
  const denied = ways.map((way, i) => deniedReason(rights[i] ?? null, way, snapshot, m));
  const barred = old ?? denied[ways.findIndex((way) => isSameWay(way, draft.action))] ?? null;

  const apply = () => {
    if (
      state.at !== 'ready' ||
      action === null ||
      mayApply(state.planned, draft) !== 'yes' ||
      barred !== null
    )
      return;
    setPinned(pin(action, snapshot));
    dispatch({ type: 'apply', atMs: serverClock.now() });
    applyAction(
      { action, expect: state.planned.expect, reason: draft.reason.trim() },
      new AbortController().signal,
    ).then(
      (answer) =>
        dispatch(
          isProblem(answer)
            ? { type: 'refused', problem: answer }
            : { type: 'applied', outcome: answer, atMs: serverClock.now() },
        ),
      () => {},
    );
    // The pressed button disappears with the answer, and would take the focus with it.
    reading.current?.focus();
  };

  const planAgain = () => {
    // The dialog takes the present state only on request.
    setRequest({ ...request, ...repinned(request, snapshot, m) });
    setRound((n) => n + 1);
    reading.current?.focus();
  };

  return (
    <DialogFrame
      title={
        <span title={whole === title ? undefined : whole}>
          {state.at === 'done' && state.outcome.done ? m.action.done.title(title) : title}
        </span>
      }
      // The focus starts where reading starts: the arrow keys scroll the plan, and Enter presses nothing.
      first={reading}
      back={back}
      onClose={onClose}
    >
      <form
        className="flex min-h-0 flex-1 flex-col low:flex-none"
        // Enter in a field does nothing: only its own button applies an irreversible action.
        onSubmit={(event) => event.preventDefault()}
      >
        {/* The dialog scrolls as a whole in a low window. */}
        <section
          ref={reading}
          aria-label={state.at === 'done' ? m.action.done.followTitle : m.action.plan}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard to be scrolled.
          tabIndex={0}
          className="min-h-40 flex-1 overflow-y-auto px-5 py-4 outline-brass -outline-offset-2 focus-visible:outline-2 low:overflow-visible"
        >
          {state.at === 'done' && pinned !== null ? (
            <FollowThrough state={state} pinned={pinned} />
          ) : (
            <DialogBody
              state={state}
              draft={draft}
              change={setDraft}
              request={request}
              refused={denied.map((reason, i) => (rights[i] === 'asking' ? null : reason))}
              onPlanAgain={planAgain}
            />
          )}
        </section>
        <Typed state={state} draft={draft} change={setDraft} />
        <DialogFoot
          state={state}
          draft={draft}
          verb={verbOf(draft.action, named, m)}
          old={barred}
          onApply={apply}
          onPlanAgain={planAgain}
          onClose={onClose}
        />
      </form>
    </DialogFrame>
  );
}
