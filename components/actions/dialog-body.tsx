'use client';
/** The middle of the dialog: the subject as shown, the choice, the plan, and the text fields. */
import { useAllMessages } from '@/components/dom/locale';
import { ProblemText } from '@/components/live/problem-text';
import { reasonLengthMax } from '@/lib/domain/actions/action';
import type { ProblemCode } from '@/lib/domain/problem';
import type { DialogState } from '@/lib/view/actions/dialog-state';
import type { DialogRequest } from '@/lib/view/actions/request';
import { asksNumber, type Draft } from './draft';
import { ConfirmName, HowChoice, NumberField, ReasonField } from './fields';
import { PlanView } from './plan-view';
import { Reach } from './reach';
import { ResizeVerdict } from './resize-verdict';
import { ShownLine } from './shown-line';

/** Refusals that another way or limit may avoid, so that the choice stays on show. */
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
  readonly request: DialogRequest;
  /** The reasons why the person may not use each way, in their order; `null` without a known reason. */
  readonly refused: readonly (string | null)[];
  readonly onPlanAgain: () => void;
}

/** The choice and the plan. A refusal replaces the plan, which is no longer true. */
export function DialogBody({ state, draft, change, request, refused, onPlanAgain }: BodyProps) {
  const m = useAllMessages();
  if (state.at === 'refused' && !choiceHelps.has(state.problem.code))
    return <ProblemText problem={state.problem} />;
  const planned = state.at !== 'refused' && 'planned' in state ? state.planned : null;
  const locked = state.at === 'applying';
  const resizes = 'limit' in draft.action;
  const returns = 'permits' in draft.action;
  const { resize, returns: returning } = m.action;
  const { semaphore } = request;
  return (
    <div className="flex flex-col gap-4">
      <ShownLine
        request={request}
        // Once sent, the change is its own effect, and the aftermath reports it.
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
      {asksNumber(draft.action) ? (
        <NumberField
          label={returns ? returning.label : resize.label}
          help={returns ? returning.now(semaphore?.available ?? null) : resize.now(semaphore?.limit ?? null)}
          value={draft.limit}
          locked={locked}
          onChange={(limit) => change({ ...draft, limit })}
        />
      ) : null}
      {/* The plan, once there, says the same about the typed limit. */}
      {resizes && planned === null && semaphore !== null ? <ResizeVerdict semaphore={semaphore} /> : null}
      {returns && planned === null ? <p className="text-[13px] text-ink-soft">{returning.text}</p> : null}
      <div aria-live="polite" aria-busy={state.at === 'planning'} className="min-h-16">
        {state.at === 'planning' ? <p className="text-ink-soft">{m.action.planning}</p> : null}
        {state.at === 'choosing' ? (
          <p className="text-ink-soft">{returns ? returning.enter : resize.enter}</p>
        ) : null}
        {planned === null ? null : <PlanView plan={planned.plan} />}
      </div>
    </div>
  );
}

/** Below the part that scrolls: the fields stay in sight however long the plan is. */
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
