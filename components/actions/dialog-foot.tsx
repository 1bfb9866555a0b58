'use client';
/** The foot of the dialog: why it cannot apply yet, the way out, and the button that applies. */
import { useAllMessages } from '@/components/dom/locale';
import { Button } from '@/components/ui/button';
import type { ProblemCode } from '@/lib/domain/problem';
import type { AllMessages } from '@/lib/i18n/messages';
import { type DialogState, mayApply } from '@/lib/view/actions/dialog-state';
import type { Draft } from './draft';

/** Refusals after which the same request may succeed. */
const againHelps: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'stale',
  'busy',
  'unavailable',
  'no-leader',
  'unknown-result',
  'conflict-in-use',
]);

interface FootProps {
  readonly state: DialogState;
  readonly draft: Draft;
  readonly verb: string;
  /** The reason against a start from this data or by this person, in words; `null` without one. */
  readonly old: string | null;
  readonly onApply: () => void;
  readonly onPlanAgain: () => void;
  readonly onClose: () => void;
}

function whyNot({ state, draft, old }: Pick<FootProps, 'state' | 'draft' | 'old'>, m: AllMessages) {
  if (old !== null) return old;
  if (state.at !== 'ready') return m.action.noPlan;
  const may = mayApply(state.planned, draft);
  if (may === 'reason') return m.action.reasonNeeded;
  return may === 'name' ? m.action.confirmNeeded(state.planned.plan.confirmName ?? '') : null;
}

/** The dangerous button is last, reacts only to its own press, and explains why it is unavailable. */
export function DialogFoot(props: FootProps) {
  const { state, verb, onApply, onPlanAgain, onClose } = props;
  const m = useAllMessages();
  const why = whyNot(props, m);
  return (
    <div className="flex flex-wrap items-center justify-end gap-2 border-line border-t px-5 py-3">
      {state.at === 'ready' && why !== null ? (
        <span id="why-not" className="mr-auto text-[12px] text-ink-dim">
          {why}
        </span>
      ) : null}
      <Button onClick={onClose}>
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
          className="max-w-full"
          aria-disabled={why === null ? undefined : true}
          aria-describedby={why === null ? undefined : 'why-not'}
          onClick={() => {
            if (why === null) onApply();
          }}
        >
          <span className="truncate">{state.at === 'applying' ? m.action.applying : verb}</span>
        </Button>
      )}
    </div>
  );
}
