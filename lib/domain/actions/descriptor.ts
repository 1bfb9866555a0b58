/**
 * The description of one action. `lock.ts`, `semaphore.ts` and `session.ts` have them, and `action.ts` has the table.
 */
import type { Lock, Semaphore, Session, Subject } from '@/lib/domain/model';
import type { RuleFacts, RuleRefusal } from '@/lib/domain/refusal';
import type { ActionOf, ActionType } from './schema';

/** The reason is the value; "disabled" is derived from it. */
export type Permission =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly reason: RuleRefusal };

export const yes: Permission = { allowed: true };

export function no<C extends keyof RuleFacts>(code: C, facts: RuleFacts[C]): Permission {
  // TypeScript does not see that one code with its facts is a member of the union over all codes.
  return { allowed: false, reason: { code, facts } as RuleRefusal };
}

/** The input of `can`, so that a screen can ask for one row without an index. */
export interface FoundSubject {
  readonly lock: Lock | null;
  readonly semaphore: Semaphore | null;
  readonly session: Session | null;
}

export interface ActionDescriptor<A> {
  /** The page's target, and the audit's index. */
  subjects(action: A): Subject[];
  /** The values of `how`, the gentler one last. Absent: there is one way. */
  readonly ways?: readonly string[];
  /** False for what removes only records that no client has any more. */
  readonly needsReason: boolean;
  /** The permission, with the authority for each refusal beside it. The provider asks again on a fresh read. */
  can(action: A, found: FoundSubject): Permission;
  /** True when the action writes the found entry, whose name a backend may refuse. Absent: always. */
  writesEntry?(action: A): boolean;
  /** The parties that the action ends, robs of a slot or takes off the record. `null`: none. */
  readonly hits: 'holder' | 'slot' | 'waiter' | 'session' | 'ghosts' | null;
  /** The action takes nothing from a client, and clients decide whether they follow. Absent: it does. */
  readonly invites?: true;
  /** The event to await afterwards: the next holder, or the earlier waiters under the new limit. */
  readonly follows: 'next-holder' | 'queue';
}

export type DescriptorOf<T extends ActionType> = ActionDescriptor<ActionOf<T>>;
