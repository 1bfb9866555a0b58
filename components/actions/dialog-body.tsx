'use client';
/** The middle of the dialog: the subject as it was shown, what to choose, the plan, and what must be typed. */
import { useMessages } from '@/components/dom/locale';
import { ProblemText } from '@/components/live/problem-text';
import { reasonLengthMax } from '@/lib/domain/actions/action';
import type { ProblemCode } from '@/lib/domain/problem';
import type { DialogState } from '@/lib/view/actions/dialog-state';
import type { Request } from '@/lib/view/actions/request';
import type { Draft } from './draft';
import { ConfirmName, HowChoice, LimitField, ReasonField } from './fields';
import { PlanView } from './plan-view';
import { Reach } from './reach';
import { ResizeVerdict } from './resize-verdict';
import { ShownLine } from './shown-line';

/** Refusals that another way or another limit may get past, so that the choice stays on show. */
const choiceHelps: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'conflict-in-use',
  'forbidden',
  'invalid',
  'unwritable',
]);

interface BodyProps {
  readonly state: DialogState;
  readonly draft: Draft;
  readonly change: (next: Draft) => void;
  readonly request: Request;
  /** Of each way to do it, in their order, why the person may not go it, in words; `null` where nothing says so. */
  readonly refused: readonly (string | null)[];
  readonly onPlanAgain: () => void;
}

/** What to choose and what was planned. A refusal takes the place of the plan, which it has made untrue. */
export function DialogBody({ state, draft, change, request, refused, onPlanAgain }: BodyProps) {
  const m = useMessages();
  if (state.at === 'refused' && !choiceHelps.has(state.problem.code))
    return <ProblemText problem={state.problem} />;
  const planned = state.at !== 'refused' && 'planned' in state ? state.planned : null;
  const locked = state.at === 'applying';
  const resizes = draft.action.type === 'semaphore.resize';
  return (
    <div className="flex flex-col gap-4">
      <ShownLine
        request={request}
        // What was sent changes it: that is told by what follows.
        watch={!locked}
        onPlanAgain={state.at === 'ready' ? onPlanAgain : null}
      />
      {state.at === 'refused' ? <ProblemText problem={state.problem} /> : null}
      <HowChoice
        action={draft.action}
        refused={refused}
        locked={locked}
        lockDelayMs={request.session?.lockDelayMs ?? null}
        onChange={(action) => change({ ...draft, action })}
      />
      {resizes ? (
        <LimitField
          value={draft.limit}
          now={request.semaphore?.limit ?? null}
          locked={locked}
          onChange={(limit) => change({ ...draft, limit })}
        />
      ) : null}
      {/* Once there is a plan, it says the same of the limit that was typed. */}
      {resizes && planned === null && request.semaphore !== null ? (
        <ResizeVerdict semaphore={request.semaphore} />
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
export function Typed({ state, draft, change }: Omit<BodyProps, 'request' | 'refused' | 'onPlanAgain'>) {
  if (state.at !== 'ready' && state.at !== 'applying') return null;
  const { plan } = state.planned;
  const locked = state.at === 'applying';
  return (
    <div className="border-line border-t px-5 pt-3 pb-3">
      <Reach plan={plan} />
      <div className="grid gap-x-4 gap-y-3 sm:grid-flow-col sm:auto-cols-fr">
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
      </div>
    </div>
  );
}
