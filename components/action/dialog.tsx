'use client';
/** The action dialog: plan, what it touches, reason, apply, and then what was seen to happen. */
import { Dialog } from 'radix-ui';
import { useEffect, useReducer, useRef, useState } from 'react';
import { useMessages } from '@/components/locale';
import { ProblemText } from '@/components/problem-text';
import { useFreshness } from '@/components/shell/freshness';
import { Button } from '@/components/ui/button';
import { applyAction, planAction } from '@/lib/client/api';
import type { Messages } from '@/lib/client/messages';
import { useSnapshot } from '@/lib/client/queries';
import { type Action, limitMax, reasonLengthMax } from '@/lib/domain/action';
import { shortId } from '@/lib/domain/model';
import { isProblem, type ProblemCode } from '@/lib/domain/problem';
import { type DialogEvent, type DialogState, dialogStep, mayApply } from './dialog-state';
import { ConfirmName, HowChoice, LimitField, ReasonField } from './fields';
import { type Pinned, pin } from './follow';
import { FollowThrough } from './follow-through';
import { PlanView } from './plan-view';
import type { Request } from './request';

interface ActionDialogProps {
  readonly request: Request;
  /** What had the focus when the dialog was asked for: it gets it back. */
  readonly back: Element | null;
  readonly onClose: () => void;
}

/** What is typed and chosen in the dialog; it outlives every refusal. */
interface Draft {
  readonly action: Action;
  readonly limit: string;
  readonly reason: string;
  readonly name: string;
}

/** Refusals after which the same request may succeed; after any other, planning again would repeat the refusal. */
const againHelps: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'stale',
  'busy',
  'unavailable',
  'no-leader',
  'unknown-result',
  'conflict-in-use',
]);

/** Refusals that another way or another limit may get past, so that the choice stays on show. */
const choiceHelps: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'conflict-in-use',
  'forbidden',
  'invalid',
]);

/** Names the way that is chosen: the title, the button and the end of the dialog all speak of that one. */
function titleOf(action: Action, { label, name }: Request, m: Messages): string {
  const ways = m.action.titlesByWay;
  if ('how' in action && action.how !== 'destroy-session') return ways[action.how](label, name);
  return m.action.titles[action.type](label, name);
}

/** The action to plan: `null` while the limit that was typed is none. */
function plannable(draft: Draft, request: Request): Action | null {
  if (draft.action.type !== 'semaphore.resize') return draft.action;
  const limit = /^\d{1,6}$/.test(draft.limit.trim()) ? Number(draft.limit.trim()) : 0;
  if (limit < 1 || limit > limitMax || limit === request.limit) return null;
  return { ...draft.action, limit };
}

/** Plans at once, and again whenever what would be done changes. Late answers of an earlier choice are dropped. */
function usePlanning(
  action: Action | null,
  reason: string,
  round: number,
  dispatch: (event: DialogEvent) => void,
) {
  const latestReason = useRef(reason);
  latestReason.current = reason;
  const wanted = action === null ? null : JSON.stringify(action);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` asks for the same plan again.
  useEffect(() => {
    if (wanted === null) {
      dispatch({ type: 'choose' });
      return;
    }
    dispatch({ type: 'plan' });
    const abort = new AbortController();
    planAction(JSON.parse(wanted) as Action, latestReason.current, abort.signal).then(
      (answer) =>
        dispatch(
          isProblem(answer) ? { type: 'refused', problem: answer } : { type: 'planned', planned: answer },
        ),
      // Only an abort rejects: another choice has taken its place.
      () => {},
    );
    return () => abort.abort();
  }, [wanted, round, dispatch]);
}

/** One action, from its plan to its end. Mounted anew for every request, so nothing is carried over. */
export function ActionDialog({ request, back, onClose }: ActionDialogProps) {
  const m = useMessages();
  const snapshot = useSnapshot();
  // The buttons that open a dialog ask for the same: an act starts from live data only, catching up is not yet that.
  const old = useFreshness() !== 'live';
  const [draft, setDraft] = useState<Draft>({ action: request.action, limit: '', reason: '', name: '' });
  const [round, setRound] = useState(0);
  const [state, dispatch] = useReducer(dialogStep, { at: 'planning' });
  const [pinned, setPinned] = useState<Pinned | null>(null);
  const cancel = useRef<HTMLButtonElement>(null);
  const action = plannable(draft, request);
  usePlanning(action, draft.reason, round, dispatch);
  const title = titleOf(draft.action, request, m);

  const apply = () => {
    if (state.at !== 'ready' || action === null || mayApply(state.planned, draft) !== 'yes' || old) return;
    setPinned(pin(action, snapshot));
    dispatch({ type: 'apply', atMs: Date.now() });
    applyAction(
      { action, expect: state.planned.expect, reason: draft.reason.trim() },
      new AbortController().signal,
    ).then(
      (answer) =>
        dispatch(
          isProblem(answer)
            ? { type: 'refused', problem: answer }
            : { type: 'applied', outcome: answer, atMs: Date.now() },
        ),
      () => {},
    );
  };

  return (
    <Dialog.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/60" />
        <Dialog.Content
          aria-describedby={undefined}
          onOpenAutoFocus={(event) => {
            // The dangerous button is never where Enter lands: the focus starts on Cancel.
            event.preventDefault();
            cancel.current?.focus();
          }}
          onCloseAutoFocus={(event) => {
            // The dialog has no trigger of its own, and the button that opened it may be gone with its holder.
            event.preventDefault();
            const still =
              back instanceof HTMLElement && back.isConnected ? back : document.getElementById('content');
            still?.focus();
          }}
          onInteractOutside={(event) => event.preventDefault()}
          className="fixed inset-x-0 bottom-0 z-50 flex max-h-dvh flex-col overflow-y-auto border border-line-strong bg-panel shadow-2xl outline-none sm:inset-x-auto sm:top-1/2 sm:bottom-auto sm:left-1/2 sm:max-h-[88dvh] sm:w-[min(46rem,calc(100vw-2rem))] sm:-translate-x-1/2 sm:-translate-y-1/2 sm:rounded-lg"
        >
          <Dialog.Title className="break-words border-line border-b px-5 py-4 font-semibold text-[16px] leading-6">
            {state.at === 'done' && state.outcome.done ? m.action.done.title(title) : title}
          </Dialog.Title>
          <form
            className="flex min-h-0 flex-1 flex-col"
            onSubmit={(event) => {
              event.preventDefault();
              apply();
            }}
          >
            {/* Where the window is too low for plan and fields, the dialog scrolls as a whole. */}
            <div className="min-h-40 flex-1 overflow-y-auto px-5 py-4">
              {state.at === 'done' && pinned !== null ? (
                <FollowThrough state={state} pinned={pinned} />
              ) : (
                <Body state={state} draft={draft} change={setDraft} request={request} />
              )}
            </div>
            <Typed state={state} draft={draft} change={setDraft} />
            <Foot
              state={state}
              draft={draft}
              title={title}
              old={old}
              cancelRef={cancel}
              onApply={apply}
              onPlanAgain={() => setRound((n) => n + 1)}
              onClose={onClose}
            />
          </form>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface BodyProps {
  readonly state: DialogState;
  readonly draft: Draft;
  readonly change: (next: Draft) => void;
  readonly request: Request;
}

/** What to choose and what was planned. A refusal takes the place of the plan, which it has made untrue. */
function Body({ state, draft, change, request }: BodyProps) {
  const m = useMessages();
  if (state.at === 'refused' && !choiceHelps.has(state.problem.code))
    return <ProblemText problem={state.problem} />;
  const planned = state.at !== 'refused' && 'planned' in state ? state.planned : null;
  const locked = state.at === 'applying';
  return (
    <div className="flex flex-col gap-4">
      {state.at === 'refused' ? <ProblemText problem={state.problem} /> : null}
      <HowChoice action={draft.action} locked={locked} onChange={(action) => change({ ...draft, action })} />
      {draft.action.type === 'semaphore.resize' ? (
        <LimitField
          value={draft.limit}
          now={request.limit}
          locked={locked}
          onChange={(limit) => change({ ...draft, limit })}
        />
      ) : null}
      <div aria-live="polite" aria-busy={state.at === 'planning'} className="min-h-16">
        {state.at === 'planning' ? <p className="text-ink-soft">{m.action.planning}</p> : null}
        {state.at === 'choosing' ? <p className="text-ink-soft">{m.action.resize.enter}</p> : null}
        {planned === null ? null : <PlanView plan={planned.plan} />}
      </div>
    </div>
  );
}

/** What must be typed, below the part that scrolls: however long the plan, it is in sight. */
function Typed({ state, draft, change }: Omit<BodyProps, 'request'>) {
  if (state.at !== 'ready' && state.at !== 'applying') return null;
  const { plan } = state.planned;
  const locked = state.at === 'applying';
  return (
    <div className="grid gap-x-4 gap-y-3 border-line border-t px-5 pt-3 pb-3 sm:grid-flow-col sm:auto-cols-fr">
      <ReasonField
        value={draft.reason}
        needed={plan.friction !== 'click'}
        max={reasonLengthMax}
        locked={locked}
        onChange={(reason) => change({ ...draft, reason })}
      />
      {plan.friction === 'type-name' && plan.confirmName !== null ? (
        <ConfirmName
          name={plan.confirmName}
          value={draft.name}
          locked={locked}
          onChange={(name) => change({ ...draft, name })}
        />
      ) : null}
      {/* Enter in a field submits only what the button below would do as well. */}
      <button type="submit" hidden aria-hidden="true" tabIndex={-1} />
    </div>
  );
}

interface FootProps {
  readonly state: DialogState;
  readonly draft: Draft;
  readonly title: string;
  readonly old: boolean;
  readonly cancelRef: React.Ref<HTMLButtonElement>;
  readonly onApply: () => void;
  readonly onPlanAgain: () => void;
  readonly onClose: () => void;
}

function Foot({ state, draft, title, old, cancelRef, onApply, onPlanAgain, onClose }: FootProps) {
  const m = useMessages();
  const may = state.at === 'ready' ? mayApply(state.planned, draft) : null;
  const why = old
    ? m.action.blocked.stale
    : may === 'reason'
      ? m.action.reasonNeeded
      : may === 'name' && state.at === 'ready'
        ? m.action.confirmNeeded(state.planned.plan.confirmName ?? '')
        : state.at === 'ready'
          ? null
          : m.action.noPlan;
  return (
    <div className="flex flex-wrap items-center justify-end gap-2 border-line border-t px-5 py-3">
      {state.at === 'ready' && why !== null ? (
        <span id="why-not" className="mr-auto text-[12px] text-ink-dim">
          {why}
        </span>
      ) : null}
      <Button ref={cancelRef} onClick={onClose}>
        {state.at === 'done' || state.at === 'applying' || state.at === 'refused'
          ? m.action.close
          : m.action.cancel}
      </Button>
      {state.at === 'refused' && againHelps.has(state.problem.code) ? (
        <Button tone="primary" onClick={onPlanAgain}>
          {m.action.planAgain}
        </Button>
      ) : null}
      {state.at === 'done' || state.at === 'refused' ? null : (
        <Button
          tone="danger"
          aria-disabled={why === null ? undefined : true}
          aria-describedby={why === null ? undefined : 'why-not'}
          onClick={() => {
            if (why === null) onApply();
          }}
        >
          {state.at === 'applying' ? m.action.applying : shortTitle(title, draft.action, m.action.buttons)}
        </Button>
      )}
    </div>
  );
}

/** The button repeats verb and object without the place, which the title holds already. */
function shortTitle(
  title: string,
  action: Action,
  buttons: { 'semaphore.evict': (label: string) => string; 'session.destroy': string },
): string {
  const cut = title.lastIndexOf(' from ');
  if (action.type === 'session.destroy') return buttons['session.destroy'].replace('…', '');
  return cut === -1 ? title.replace(/[0-9a-f-]{36}/g, shortId) : title.slice(0, cut);
}
