/**
 * Adds English to every code that the API sends: `text` beside code and facts, `detail` in a problem (RFC 9457).
 * Screens word the codes themselves.
 */
import type { Outcome, Plan } from '@/lib/domain/actions/plan';
import type { Needed } from '@/lib/domain/identity';
import type { Facts, Said, Sayings } from '@/lib/domain/message';
import type { Problem } from '@/lib/domain/problem';
import { worded } from '@/lib/i18n/format/worded';
import { en } from '@/lib/i18n/messages';

const { plan: words, why: whys, differences } = en;

function withText<F extends Readonly<Record<string, Facts>>, S extends Said<F>>(
  message: S,
  sayings: Sayings<F>,
): S & { readonly text: string } {
  return { ...message, text: worded(message, sayings) };
}

function withTextOrNull<F extends Readonly<Record<string, Facts>>, S extends Said<F>>(
  message: S | null,
  sayings: Sayings<F>,
) {
  return message === null ? null : withText(message, sayings);
}

export function spokenProblem(problem: Problem) {
  const { why = null, difference, detail } = problem;
  const text = why === null ? detail : worded(why, whys);
  return {
    ...problem,
    ...(why === null ? {} : { why: withText(why, whys) }),
    ...(text === undefined ? {} : { detail: text }),
    ...(difference === undefined ? {} : { difference: difference.map((one) => withText(one, differences)) }),
  };
}

export const spokenNeeds = (needs: readonly Needed[]) =>
  needs.map((one) => withText(one, en.identity.rights.needs));

export function spokenPlan(plan: Plan) {
  return {
    ...plan,
    summary: withText(plan.summary, words.summaries),
    writes: plan.writes.map((write) => ({
      ...write,
      condition: withTextOrNull(write.condition, words.conditions),
      before: withTextOrNull(write.before, words.states),
      after: withTextOrNull(write.after, words.states),
    })),
    touches: plan.touches.map((touch) => ({ ...touch, detail: withTextOrNull(touch.detail, words.touched) })),
    warnings: plan.warnings.map((warning) => withText(warning, words.warnings)),
    undo: { ...plan.undo, text: worded(plan.undo, words.undos) },
    manual: plan.manual.map((step) => ({ ...step, note: withText(step.note, words.notes) })),
  };
}

export function spokenOutcome(outcome: Outcome) {
  return {
    ...outcome,
    warnings: outcome.warnings.map((warning) => withText(warning, words.warnings)),
    parts: outcome.parts.map((part) => ({
      ...part,
      problem: part.problem === null ? null : spokenProblem(part.problem),
      detail: withTextOrNull(part.detail, words.parts),
    })),
  };
}
