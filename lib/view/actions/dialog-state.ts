/**
 * The dialog's states. Everything in it is about what was pinned when it opened; live data reaches only the
 * follow-through.
 *
 *   choosing -> planning -> ready -> applying -> done
 *                  ^          |         |
 *                  |        refused <---'   (plan again keeps the reason and the typed name)
 *                  '----------'
 *
 * `choosing`: a resize without a usable limit. `unknown`: an apply broke in the middle; a new plan must read the
 * present state before anything is sent again.
 */
import type { Planned } from '@/lib/client/api';
import type { Outcome } from '@/lib/domain/actions/plan';
import type { Problem } from '@/lib/domain/problem';

export type DialogState =
  | { readonly at: 'choosing' }
  | { readonly at: 'planning' }
  | { readonly at: 'ready'; readonly planned: Planned }
  | {
      readonly at: 'refused';
      readonly problem: Problem;
      readonly planned: Planned | null;
      readonly sent: boolean;
    }
  | { readonly at: 'applying'; readonly planned: Planned; readonly sentAtMs: number }
  | {
      readonly at: 'done';
      readonly planned: Planned;
      readonly outcome: Outcome;
      readonly sentAtMs: number;
      readonly doneAtMs: number;
    };

export type DialogEvent =
  | { readonly type: 'choose' }
  | { readonly type: 'plan' }
  | { readonly type: 'planned'; readonly planned: Planned }
  | { readonly type: 'refused'; readonly problem: Problem }
  | { readonly type: 'apply'; readonly atMs: number }
  | { readonly type: 'applied'; readonly outcome: Outcome; readonly atMs: number };

const planOf = (state: DialogState): Planned | null => ('planned' in state ? state.planned : null);

/** Events that do not fit the state are late answers, and change nothing. */
export function dialogStep(state: DialogState, event: DialogEvent): DialogState {
  // A late plan must not open a second chance to send.
  if (state.at === 'applying' && event.type !== 'refused' && event.type !== 'applied') return state;
  if (state.at === 'done') return state;
  switch (event.type) {
    case 'choose':
      return { at: 'choosing' };
    case 'plan':
      return { at: 'planning' };
    case 'planned':
      return state.at === 'planning' ? { at: 'ready', planned: event.planned } : state;
    case 'refused':
      return { at: 'refused', problem: event.problem, planned: planOf(state), sent: state.at === 'applying' };
    case 'apply':
      return state.at === 'ready' ? { at: 'applying', planned: state.planned, sentAtMs: event.atMs } : state;
    case 'applied':
      return state.at === 'applying'
        ? {
            at: 'done',
            planned: state.planned,
            outcome: event.outcome,
            sentAtMs: state.sentAtMs,
            doneAtMs: event.atMs,
          }
        : state;
  }
}

/** An empty name to type never matches. */
export function mayApply(
  planned: Planned,
  typed: { readonly reason: string; readonly name: string },
): 'yes' | 'reason' | 'name' {
  const { friction, confirmName } = planned.plan;
  if (friction === 'click') return 'yes';
  if (typed.reason.trim() === '') return 'reason';
  if (friction === 'reason') return 'yes';
  return confirmName !== null && confirmName !== '' && typed.name === confirmName ? 'yes' : 'name';
}
