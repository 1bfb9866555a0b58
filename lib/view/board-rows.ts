/**
 * The board as data: one row for every lock and semaphore. Unchanged subjects keep their rows, so that ten thousand of
 * them cost nothing when one changes.
 */

import { freeOf, waitingOf } from '@/lib/domain/capabilities';
import { concernedBy, type Finding } from '@/lib/domain/findings/finding';
import { holdersOf } from '@/lib/domain/holders';
import type { Layout } from '@/lib/domain/layout';
import {
  type Lock,
  type Party,
  type Semaphore,
  type Subject,
  subjectId,
  type Verdict,
} from '@/lib/domain/model';
import { compare, placeOf } from '@/lib/domain/sorted';
import { lockName, semaphoreName, subjectOf } from '@/lib/domain/subject';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { cachesViews } from '@/lib/view/view-cache';

export interface BoardRow {
  readonly id: string;
  readonly of: Lock | Semaphore;
  /** Key or prefix. */
  readonly name: string;
  /** The name for groups: everything up to the last meaningful part. */
  readonly group: string;
  readonly layout: Layout;
  readonly holders: readonly Party[];
  /** `null`: not visible in the backend, or not counted. */
  readonly waiting: number | null;
  /** Further waiters may be hidden from this person. */
  readonly moreMayWait: boolean;
  readonly verdicts: readonly Verdict[];
  readonly nodes: readonly string[];
  readonly findings: readonly Finding[];
  /** 0 urgent, 1 warning, 2 notice, 3 in order. */
  readonly urgency: 0 | 1 | 2 | 3;
  /** The oldest holder's; `null`: no holder, or unknown. */
  readonly sinceMs: number | null;
}

const noFindings: readonly Finding[] = [];
const rowCache = new WeakMap<Lock | Semaphore, BoardRow>();

const urgencyOf: Readonly<Record<Finding['severity'], 0 | 1 | 2>> = { urgent: 0, warning: 1, notice: 2 };

function sameFindings(a: readonly Finding[], b: readonly Finding[]): boolean {
  return a.length === b.length && a.every((finding, i) => finding === b[i]);
}

/** `/.lock` belongs to the name before it. */
export function groupOf(name: string): string {
  const body = name.replace(/\/\.lock(info)?$/, '');
  return body.slice(0, body.lastIndexOf('/', body.length - 2) + 1);
}

function makeRow(of: Lock | Semaphore, findings: readonly Finding[]): BoardRow {
  const isLock = of.kind === 'lock';
  const name = of.kind === 'lock' ? of.key : of.prefix;
  const holders = holdersOf(of);
  const waiters: readonly Party[] = of.waiters ?? [];
  const parties = [...holders, ...waiters];
  const since = holders.flatMap((holder) => (holder.since === null ? [] : [holder.since.atMs]));
  return {
    id: idOf(of),
    of,
    name,
    group: groupOf(name),
    layout: of.layout,
    holders,
    waiting: waitingOf(of),
    moreMayWait: !isLock && of.part === true,
    verdicts: [...new Set(holders.map((holder) => holder.verdict))],
    nodes: [...new Set(parties.flatMap((party) => (party.session === null ? [] : [party.session.node])))],
    findings,
    urgency: findings.reduce<0 | 1 | 2 | 3>(
      (worst, { severity }) => (urgencyOf[severity] < worst ? urgencyOf[severity] : worst),
      3,
    ),
    sinceMs: since.length === 0 ? null : Math.min(...since),
  };
}

type Lists = Pick<Snapshot, 'locks' | 'semaphores' | 'findings'>;

interface Made {
  readonly of: Lists;
  readonly rows: readonly BoardRow[];
  /** Findings by the subject's id. Updated with the next snapshot. */
  readonly findings: Map<string, readonly Finding[]>;
}

const newMade = (): Made => ({
  of: { locks: [], semaphores: [], findings: [] },
  rows: [],
  findings: new Map(),
});

/** The store of rows from one world to the next. */
export interface KeptRows {
  made: Made | null;
}
/** The rows of a browser, which has one world. */
const browsers: KeptRows = { made: null };

/**
 * Rows in the snapshot's order. Board, search and palette need the same ones, so the last answer is cached, and the
 * next one is made from it. A server caches only where it is given a place.
 */
export function rowsOf(
  { locks, semaphores, findings }: Lists,
  place: KeptRows | null = cachesViews ? browsers : null,
): readonly BoardRow[] {
  const last = place?.made ?? newMade();
  const { of } = last;
  if (of.locks === locks && of.semaphores === semaphores && of.findings === findings) return last.rows;
  const touched = noteFindings(last, findings);
  const make = (of: Lock | Semaphore) => rowOf(of, last.findings.get(idOf(of)) ?? noFindings);
  const before = of.semaphores.length;
  const same = [...last.rows];
  const rows =
    putIn(same, { was: of.semaphores, is: semaphores, from: 0 }, make) &&
    putIn(same, { was: of.locks, is: locks, from: before }, make)
      ? same
      : [
          ...rowsIn({ was: of.semaphores, is: semaphores, rows: last.rows.slice(0, before) }, make),
          ...rowsIn({ was: of.locks, is: locks, rows: last.rows.slice(before) }, make),
        ];
  for (const subject of touched.values()) {
    if (subject.kind === 'session') continue;
    const [among, name, from] =
      subject.kind === 'lock'
        ? [locks, lockName(subject), semaphores.length]
        : [semaphores, semaphoreName(subject), 0];
    const at = placeOf<Lock | Semaphore>(among, name, placeName);
    const found = among[at];
    if (found !== undefined && placeName(found) === name) rows[from + at] = make(found);
  }
  if (place !== null) place.made = { of: { locks, semaphores, findings }, rows, findings: last.findings };
  return rows;
}

/** Returns the affected subjects, by id. */
function noteFindings({ of, findings }: Made, now: readonly Finding[]): ReadonlyMap<string, Subject> {
  const touched = new Map<string, Subject>();
  const note = (finding: Finding, put: (own: readonly Finding[]) => readonly Finding[]) => {
    for (const subject of concernedBy(finding)) {
      const id = subjectId(subject);
      touched.set(id, subject);
      const own = put(findings.get(id) ?? noFindings);
      if (own.length === 0) findings.delete(id);
      else findings.set(id, own);
    }
  };
  compare(
    of.findings,
    now,
    ({ id }) => id,
    (was, is) => {
      if (was !== null) note(was, (own) => own.filter((finding) => finding !== was));
      if (is !== null) note(is, (own) => [...own, is].sort((a, b) => (a.id < b.id ? -1 : 1)));
    },
  );
  return touched;
}

interface Put<T> {
  readonly was: readonly T[];
  readonly is: readonly T[];
  /** The place where the rows of `was` begin. */
  readonly from: number;
}

/** Replaces rows in place. False where a row was added or removed. */
function putIn<T extends Lock | Semaphore>(
  rows: BoardRow[],
  { was, is, from }: Put<T>,
  make: (of: T) => BoardRow,
): boolean {
  if (was.length !== is.length) return false;
  for (let at = 0; at < is.length; at += 1) {
    const old: T | undefined = was[at];
    const of: T | undefined = is[at];
    if (old === undefined || of === undefined || (old as unknown) === of) continue;
    if (placeName(old) !== placeName(of)) return false;
    rows[from + at] = make(of);
  }
  return true;
}

interface Step<T> {
  readonly was: readonly T[];
  readonly is: readonly T[];
  /** The rows of `was`. */
  readonly rows: readonly BoardRow[];
}

/** Rows of `was` for the same objects, and of `make` for others. */
function rowsIn<T extends Lock | Semaphore>(
  { was, is, rows }: Step<T>,
  make: (of: T) => BoardRow,
): BoardRow[] {
  let at = 0;
  return is.map((of) => {
    let old = was[at];
    if (old !== of) for (; old !== undefined && placeName(old) < placeName(of); old = was[at]) at += 1;
    if (old === undefined || (old !== of && placeName(old) !== placeName(of))) return make(of);
    const known = rows[at];
    at += 1;
    return old === of && known !== undefined ? known : make(of);
  });
}

/** The name by which the lists of a snapshot are sorted. */
const placeName = (of: Lock | Semaphore) => (of.kind === 'lock' ? lockName(of) : semaphoreName(of));
const idOf = (of: Lock | Semaphore) => subjectId(subjectOf(of));

function rowOf(of: Lock | Semaphore, findings: readonly Finding[]): BoardRow {
  const known = cachesViews ? rowCache.get(of) : undefined;
  if (known !== undefined && sameFindings(known.findings, findings)) return known;
  const row = makeRow(of, findings);
  if (cachesViews) rowCache.set(of, row);
  return row;
}

/** True when a finding about this row asks for a person. */
export function rowNeedsHuman({ urgency }: BoardRow): boolean {
  return urgency < 2;
}

/** The verdict on a holder, or the state of a place without one. */
export type LampKind = Verdict | 'free' | 'delayed' | 'waiting';

/** Most slots that are drawn. More cannot be counted by eye. */
const lampsMax = 200;

const several = (kind: LampKind, n: number) =>
  Array.from({ length: Math.min(lampsMax, Math.max(0, n)) }, (_, slot) => ({ kind, id: `${kind} ${slot}` }));

/** Lamps where only the free permits are stored. The limit gives the number of the others. */
function lampsOfFree(available: number | null, limit: number | null): { kind: LampKind; id: string }[] {
  const lamps =
    available === null
      ? []
      : [
          ...several('unknown', limit === null ? 0 : limit - Math.max(0, available)),
          ...several('free', available),
        ];
  return lamps.length === 0 ? [{ kind: 'unknown', id: 'unknown' }] : lamps;
}

/** Every recorded holder, then the free slots of the limit. */
export function lampsOf(of: Lock | Semaphore): { readonly kind: LampKind; readonly id: string }[] {
  if (of.kind === 'lock') {
    if (of.holder !== null)
      return holdersOf(of).map(({ verdict, sessionId }) => ({ kind: verdict, id: sessionId }));
    return [
      { kind: of.state === 'delayed' ? 'delayed' : of.state === 'free' ? 'free' : 'unknown', id: of.state },
    ];
  }
  const free = freeOf(of);
  if (of.layout === 'redisson-latch') {
    const isOpen = free === 0;
    return [{ kind: free == null ? 'unknown' : isOpen ? 'free' : 'waiting', id: 'count' }];
  }
  if (free !== undefined) return lampsOfFree(free, of.limit);
  const lamps: { kind: LampKind; id: string }[] = of.holders.map((h) => ({
    kind: h.verdict,
    id: h.sessionId,
  }));
  // With unknown holders, no slot is known to be free.
  const slots =
    of.limit === null || of.recorded === null
      ? 0
      : Math.max(0, Math.min(of.limit, lampsMax) - Math.max(lamps.length, of.recorded));
  lamps.push(...several('free', slots));
  return lamps.length === 0 ? [{ kind: 'unknown', id: 'unknown' }] : lamps;
}
