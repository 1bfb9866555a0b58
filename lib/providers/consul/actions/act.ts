/**
 * The form of every action: a plan and a write, on the same consistent reads. Refusals are thrown as `ProblemError`.
 */
import type { ActionOf, ActionType } from '@/lib/domain/actions/action';
import type { Outcome, Plan, Warning } from '@/lib/domain/actions/plan';
import type { Lock, Semaphore, Subject, World } from '@/lib/domain/model';
import type { Need } from '@/lib/providers/consul/sight/rights';
import { type ActContext, type Fresh, readScope, subjectIn } from './consistent-read';
import type { SeenChangeCode, Shape } from './expectation';
import type { Asking } from './needs';
import { scopeOf } from './scope';
import { withUnseen } from './token-rights';
import { answerLost, notReadBack } from './warning';

/** A plan, with the state that it saw. */
export interface Prepared {
  readonly plan: Plan;
  readonly expect: SeenChangeCode;
}

export interface Act<T extends ActionType> {
  /** Writes nothing. */
  plan(action: ActionOf<T>, context: ActContext): Promise<Prepared>;
  /** The states that a plan of this action can have seen. */
  shape(action: ActionOf<T>): Shape;
  /** The rights that the calls of this action need. */
  needs(action: ActionOf<T>, asking: Asking): Need | Promise<Need>;
  /** Compares a fresh read with the state that the plan saw, then writes. */
  apply(action: ActionOf<T>, seen: SeenChangeCode, context: ActContext): Promise<Outcome>;
}

/** An outcome, with the subject read back. The outcome stands when that read fails, and a warning says so. */
export async function outcomeOf(
  context: ActContext,
  {
    freed,
    lost,
    subject,
    before = null,
    parts = [],
    said = [],
  }: {
    readonly freed: readonly Subject[];
    /** The answer to the write was lost, but its effect was seen. */
    readonly lost: boolean;
    /** The subject to read back; `null`: none is left. */
    readonly subject: Subject | null;
    readonly before?: Fresh | null;
    readonly parts?: Outcome['parts'];
    /** Further warnings. */
    readonly said?: readonly Warning[];
  },
): Promise<Outcome> {
  const warnings: Warning[] = [...said, ...(lost ? [answerLost] : [])];
  let after: Lock | Semaphore | null = null;
  try {
    if (subject !== null) after = subjectIn(await worldAfter(context, subject, before), subject);
  } catch {
    warnings.push(notReadBack);
  }
  return { done: true, freed, after, warnings, parts };
}

async function worldAfter(context: ActContext, subject: Subject, before: Fresh | null): Promise<World> {
  const { world } = await readScope(context, scopeOf(subject), before);
  return withUnseen(
    context,
    world,
    ({ prefix }) => subject.kind === 'semaphore' && prefix === subject.prefix,
  );
}
