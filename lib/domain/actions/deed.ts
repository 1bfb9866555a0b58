/**
 * A deed is one act of one person. The audit rows of an action (intent, outcome, events) are one deed. A sign-in or a
 * change of a share link is a deed of one row.
 */

import { type Problem, type ProblemCode, problemCodes } from '@/lib/domain/problem';
import type { AuditEntry, AuditKind, AuditRow, Json } from './audit';

/**
 * A row as one viewer may see it. Only viewers of all rows get its place in the chain (`seq`, `before`, `digest`). The
 * numbers would reveal how many rows are hidden, and a digest allows guesses at their contents.
 */
export type ShownRow = AuditEntry &
  Pick<AuditRow, 'atMs' | 'replica'> &
  Partial<Pick<AuditRow, 'seq' | 'before' | 'digest'>>;

export const deedStates = [
  'done',
  /** Some parts of a batch. */
  'partly',
  /** Nothing was written. */
  'refused',
  /** The result is unknown: the link broke, or the server ended in between. */
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
  /** `null` when it is not an action. */
  readonly state: DeedState | null;
}

/** Kinds that continue another row's deed. */
const later: readonly AuditKind[] = ['outcome', 'followed', 'unknown'];

export const beginsDeed = ({ kind }: Pick<AuditEntry, 'kind'>): boolean => !later.includes(kind);

/** No action takes longer; an older intent without an outcome has none. */
export const underWayMsMax = 90_000;

const isObject = (json: Json | undefined): json is { readonly [key: string]: Json } =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

/** A row's detail member that is an object; else `null`. */
export function detailObject(detail: AuditEntry['detail'], name: string) {
  const value = detail[name];
  return isObject(value) ? value : null;
}

/** A row's detail member that is a list; else empty. */
export function detailList(detail: AuditEntry['detail'], name: string): readonly Json[] {
  const value = detail[name];
  return Array.isArray(value) ? value : [];
}

/** The row with an action's result. An outcome outranks an `unknown` from before it arrived. */
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

/** The reason for a refusal or for an unknown result; `null` where the rows do not say. */
export function problemOf(deed: Pick<Deed, 'head' | 'rest'>): Problem | null {
  const detail = resultOf(deed)?.detail;
  const code = detail?.outcome;
  if (detail === undefined || !problemCodes.includes(code as ProblemCode)) return null;
  const why = detailObject(detail, 'why');
  // The server wrote the row from a `Problem`; the interface skips codes that this version does not know.
  return { code: code as ProblemCode, why: why as Problem['why'] };
}

export function deedOf(head: ShownRow, others: readonly ShownRow[], nowMs: number): Deed {
  const rest = others
    // A late intent has a second row: the refusal for being late.
    .filter((row) => head.kind === 'intent' && row.thread === head.thread && row.kind !== 'intent')
    .sort((a, b) => later.indexOf(a.kind) - later.indexOf(b.kind) || a.atMs - b.atMs);
  return { head, rest, state: stateOf({ head, rest }, nowMs) };
}

/** A page of deeds as a person sees it, or why there is none. */
export type AuditShown =
  | {
      readonly deeds: readonly Deed[];
      /** The next page; `null`: nothing is older. */
      readonly older: string | null;
      /** The viewer sees every row. */
      readonly all: boolean;
      /** The search for this page left older rows out. */
      readonly cut: boolean;
    }
  | { readonly failed: 'store' | 'query' | 'sign-in' };
