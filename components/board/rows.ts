/**
 * The board as data: one row for every lock and semaphore, made once for each object of the model. Rows of
 * subjects that did not change keep their identity, so that ten thousand of them cost nothing when one changes.
 */
import type { LampKind } from '@/components/lamp';
import { concernedBy, type Finding } from '@/lib/domain/finding';
import type { Layout } from '@/lib/domain/layout';
import { type Lock, type Party, type Semaphore, subjectId, type Verdict } from '@/lib/domain/model';
import { needsHuman } from '@/lib/domain/need';
import type { Snapshot } from '@/lib/domain/snapshot';

export interface BoardRow {
  readonly id: string;
  readonly of: Lock | Semaphore;
  /** Key or prefix. */
  readonly name: string;
  /** The leading path, for groups: everything up to the last meaningful part. */
  readonly group: string;
  readonly layout: Layout;
  readonly holders: readonly Party[];
  /** `null`: not visible in the backend, which is not the same as none. */
  readonly waiting: number | null;
  readonly verdicts: readonly Verdict[];
  readonly nodes: readonly string[];
  readonly findings: readonly Finding[];
  /** 0 needs a human now, 1 needs one soon, 2 only informs, 3 is in order. */
  readonly urgency: 0 | 1 | 2 | 3;
  /** The oldest holder's instant; `null` when nobody holds or nothing is known. */
  readonly sinceMs: number | null;
}

const noFindings: readonly Finding[] = [];
const made = new WeakMap<Lock | Semaphore, BoardRow>();

const urgencyOf: Readonly<Record<Finding['severity'], 0 | 1 | 2>> = { urgent: 0, warning: 1, notice: 2 };

function sameFindings(a: readonly Finding[], b: readonly Finding[]): boolean {
  return a.length === b.length && a.every((finding, i) => finding === b[i]);
}

/** Everything up to the last meaningful part: `/.lock` belongs to the name before it. */
export function groupOf(name: string): string {
  const body = name.replace(/\/\.lock(info)?$/, '');
  return body.slice(0, body.lastIndexOf('/', body.length - 2) + 1);
}

function makeRow(of: Lock | Semaphore, findings: readonly Finding[]): BoardRow {
  const isLock = of.kind === 'lock';
  const name = isLock ? of.key : of.prefix;
  const holders: readonly Party[] = isLock ? (of.holder === null ? [] : [of.holder]) : of.holders;
  const waiters: readonly Party[] = isLock ? [] : of.waiters;
  const parties = [...holders, ...waiters];
  const since = holders.flatMap((holder) => (holder.since === null ? [] : [holder.since.atMs]));
  return {
    id: subjectId(isLock ? { kind: 'lock', key: of.key } : { kind: 'semaphore', prefix: of.prefix }),
    of,
    name,
    group: groupOf(name),
    layout: of.layout,
    holders,
    waiting: isLock ? null : of.waiters.length,
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
let last: { readonly of: Lists; readonly rows: readonly BoardRow[] } | null = null;

/**
 * One row for every lock and semaphore of a snapshot, in the order of the snapshot. The board, the search and the
 * palette ask for those of the same snapshot, so the last answer is kept.
 */
export function rowsOf({ locks, semaphores, findings }: Lists): readonly BoardRow[] {
  const of = last?.of;
  if (last !== null && of?.locks === locks && of.semaphores === semaphores && of.findings === findings)
    return last.rows;
  const rows = makeRows({ locks, semaphores, findings });
  last = { of: { locks, semaphores, findings }, rows };
  return rows;
}

function makeRows(snapshot: Lists): BoardRow[] {
  const findings = new Map<string, Finding[]>();
  for (const finding of snapshot.findings)
    for (const subject of concernedBy(finding)) {
      const id = subjectId(subject);
      const known = findings.get(id);
      if (known === undefined) findings.set(id, [finding]);
      else known.push(finding);
    }
  const rowOf = (of: Lock | Semaphore, id: string) => {
    const own = findings.get(id) ?? noFindings;
    const known = made.get(of);
    if (known !== undefined && sameFindings(known.findings, own)) return known;
    const row = makeRow(of, own);
    made.set(of, row);
    return row;
  };
  return [
    ...snapshot.semaphores.map((s) => rowOf(s, `semaphore:${s.prefix}`)),
    ...snapshot.locks.map((l) => rowOf(l, `lock:${l.key}`)),
  ];
}

/** Whether something about this row asks for a person. */
export function rowNeedsHuman(row: BoardRow): boolean {
  return row.findings.some(needsHuman);
}

/** The lamps of a row's slots: every recorded holder, then the free slots of the limit. */
export function lampsOf(of: Lock | Semaphore): { readonly kind: LampKind; readonly id: string }[] {
  if (of.kind === 'lock') {
    if (of.holder !== null) return [{ kind: of.holder.verdict, id: of.holder.sessionId }];
    return [
      { kind: of.state === 'delayed' ? 'delayed' : of.state === 'free' ? 'free' : 'unknown', id: of.state },
    ];
  }
  const lamps: { kind: LampKind; id: string }[] = of.holders.map((h) => ({
    kind: h.verdict,
    id: h.sessionId,
  }));
  const free = of.limit === null ? 0 : Math.max(0, Math.min(of.limit, 200) - lamps.length);
  for (let slot = 0; slot < free; slot += 1) lamps.push({ kind: 'free', id: `free ${slot}` });
  return lamps.length === 0 ? [{ kind: 'unknown', id: 'unknown' }] : lamps;
}
