/**
 * A deed: what one person did once, as a person reads it. An action has several rows in the audit (intent, outcome,
 * what followed) that are one deed; a sign-in or a change of a share link is a deed of one row.
 */

import { type Problem, type ProblemCode, problemCodes } from '@/lib/domain/problem';
import { type ActionType, can } from './action';
import type { AuditEntry, AuditKind, AuditRow, Json } from './audit';

/**
 * A row as one viewer may see it. Its place in the chain (`seq`, `before`, `digest`) is there only for those who see
 * all rows: the numbers would tell the others how many rows they do not see, and the digests can be tried out.
 */
export type ShownRow = AuditEntry &
  Pick<AuditRow, 'atMs' | 'replica'> &
  Partial<Pick<AuditRow, 'seq' | 'before' | 'digest'>>;

export const deedStates = [
  'done',
  /** Of a batch, some parts. */
  'partly',
  /** Nothing was written. */
  'refused',
  /** Nobody can tell: the link broke, or the server ended in between. */
  'unknown',
  /** Begun a moment ago. */
  'under-way',
] as const;
export type DeedState = (typeof deedStates)[number];

export interface Deed {
  /** The row that began it. */
  readonly head: ShownRow;
  /** The rows that followed, oldest first. */
  readonly rest: readonly ShownRow[];
  /** `null` for what is no action. */
  readonly state: DeedState | null;
}

export const actionTypes = Object.keys(can) as [ActionType, ...ActionType[]];

/** Kinds that go on with a deed that another row began. */
const later: readonly AuditKind[] = ['outcome', 'followed', 'unknown'];

/** Whether this row begins a deed. */
export const beginsDeed = ({ kind }: Pick<AuditEntry, 'kind'>): boolean => !later.includes(kind);

/** No action takes longer; an intent without an outcome that is older has none. */
export const underWayMsMax = 90_000;

const isObject = (json: Json | undefined): json is { readonly [key: string]: Json } =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

/** A member of a row's detail that is itself an object; `null` where there is none. */
export function detailObject(detail: AuditEntry['detail'], name: string) {
  const value = detail[name];
  return isObject(value) ? value : null;
}

/** A member of a row's detail that is a list; empty where there is none. */
export function detailList(detail: AuditEntry['detail'], name: string): readonly Json[] {
  const value = detail[name];
  return Array.isArray(value) ? value : [];
}

/** The row that says what came of an action. An outcome counts for more than that none was there when one looked. */
const resultOf = ({ head, rest }: Pick<Deed, 'head' | 'rest'>): ShownRow | undefined =>
  head.kind === 'refused'
    ? head
    : (['outcome', 'refused', 'unknown'] as const)
        .map((kind) => rest.find((row) => row.kind === kind))
        .find((row) => row !== undefined);

function stateOf(of: Pick<Deed, 'head' | 'rest'>, nowMs: number): DeedState | null {
  const { head } = of;
  if (head.kind !== 'intent' && head.kind !== 'refused') return null;
  const result = resultOf(of);
  if (result === undefined) return nowMs - head.atMs < underWayMsMax ? 'under-way' : 'unknown';
  if (result.kind === 'refused') return 'refused';
  if (result.kind === 'unknown') return 'unknown';
  const { outcome } = result.detail;
  if (outcome === 'done' || outcome === 'partly') return outcome;
  return outcome === 'unknown-result' || !problemCodes.includes(outcome as ProblemCode)
    ? 'unknown'
    : 'refused';
}

/** Why it was refused, or why nobody can tell; `null` where the rows do not say. */
export function problemOf(deed: Pick<Deed, 'head' | 'rest'>): Problem | null {
  const detail = resultOf(deed)?.detail;
  const code = detail?.outcome;
  if (detail === undefined || !problemCodes.includes(code as ProblemCode)) return null;
  const why = detailObject(detail, 'why');
  // A row is what the server wrote of a `Problem`; words for a code that this version does not know are left out.
  return { code: code as ProblemCode, why: why as Problem['why'] };
}

/** One deed of its rows, in any order. */
export function deedOf(head: ShownRow, others: readonly ShownRow[], nowMs: number): Deed {
  const rest = others
    // An intent that was written so late that the action was refused for it has a refusal beside it.
    .filter((row) => head.kind === 'intent' && row.thread === head.thread && row.kind !== 'intent')
    .sort((a, b) => later.indexOf(a.kind) - later.indexOf(b.kind) || a.atMs - b.atMs);
  return { head, rest, state: stateOf({ head, rest }, nowMs) };
}

/** A page of deeds as a person sees it, or why there is none. */
export type AuditShown =
  | {
      readonly deeds: readonly Deed[];
      /** Where to go on; `null`: nothing is older. */
      readonly older: string | null;
      /** Somebody who sees every row looks at it. */
      readonly all: boolean;
      /** Older rows have not been looked through for this page. */
      readonly cut: boolean;
    }
  | { readonly failed: 'store' | 'query' | 'sign-in' };
