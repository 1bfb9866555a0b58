/** What one action says of itself. Each action has a file here; `action.ts` has the table of all. */
import { z } from 'zod/mini';
import type { Lock, Semaphore, Session, Subject } from '@/lib/domain/model';
import type { RuleFacts, RuleRefusal } from '@/lib/domain/refusal';
import { firstSource } from '@/lib/domain/source';
import { sourceIdSchema } from './source-schema';

/** Longest key or prefix accepted, in characters. Consul itself refuses keys beyond a few kilobytes of URL. */
export const keyLengthMax = 2048;

/**
 * Whole characters only. JSON can escape half of one (`\ud800`), which no address can hold: a call with it
 * would fail before it is sent.
 */
export const isWhole = (text: string): boolean => !/\p{Surrogate}/u.test(text);

export const key = z.string().check(z.minLength(1), z.maxLength(keyLengthMax), z.refine(isWhole));
export const sessionId = z.string().check(z.minLength(1), z.maxLength(128), z.refine(isWhole));

/** Absent on the wire: the first. */
const source = z._default(sourceIdSchema, firstSource);

/** The form of an action on the wire: its type, its source, and its own fields. */
export const form = <T extends string, F extends z.core.$ZodLooseShape>(type: T, fields: F) =>
  z.strictObject({ type: z.literal(type), source, ...fields });

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

export interface ActionDescriptor<S extends z.core.$ZodType> {
  readonly schema: S;
  /** The page's target, and the audit's index. */
  subjects(action: z.infer<S>): Subject[];
  /** The values of `how`, the gentler one last. Absent: there is one way. */
  readonly ways?: readonly string[];
  /** False for what removes only records that no client has any more. */
  readonly needsReason: boolean;
  /** When it is allowed; the authority for each refusal is beside it. The provider asks again on a fresh read. */
  can(action: z.infer<S>, found: FoundSubject): Permission;
  /** Whether it writes the found entry, whose name a backend may refuse. Absent: always. */
  writesEntry?(action: z.infer<S>): boolean;
  /** Whom it ends, robs of a slot or takes off the record: of a lock, of a slot, the session itself, or ghosts. */
  readonly hits: 'holder' | 'slot' | 'session' | 'ghosts' | null;
  /** What is awaited afterwards: the next holder, or the earlier waiters under the new limit. */
  readonly follows: 'next-holder' | 'queue';
}

/** Checks a descriptor and keeps its exact types. */
export const describe = <S extends z.core.$ZodType>(descriptor: ActionDescriptor<S>) => descriptor;
