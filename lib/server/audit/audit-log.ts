/** The audit in the store. One writer at a time over all replicas, so that the chain has one end. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { AuditEntry, AuditKind, AuditRow } from '@/lib/domain/actions/audit';
import { ProblemError } from '@/lib/domain/problem';
import { exclusively } from '@/lib/server/store/exclusively';
import type { Store } from '@/lib/server/store/store';
import type { Tables } from '@/lib/server/store/tables';
import type { Audit, AuditQuery } from './audit';
import { createTail, follows, genesis, link, rowOf, sha256, subjectKeys } from './chain';

export interface AuditBookOptions {
  readonly store: Store;
  readonly replica: string;
  /** Epoch milliseconds; used where the store has no shared clock (SQLite). */
  readonly now: () => number;
  readonly appendMs?: number;
  /** Known rows are missing from the end, from `seq` on. */
  readonly onCut?: (seq: number) => void;
}

export interface AuditBook extends Audit {
  /**
   * Writes `unknown` for every intent without an end that is older than `ageMs` by the store's clock, once over all
   * replicas. Resolves with the count. `underWay`: threads with an outcome to come, as a clock may have been set
   * forward.
   */
  closeOpen(ageMs: number, underWay?: ReadonlySet<string>): Promise<number>;
}

const appendMsDefault = 5_000;
/** SQLite's calls are synchronous, so the event loop runs after this many rows. */
const walkRows = 500;
const batchRows = 64;
/** Intents that one sweep closes. */
const sweptMax = 200;
const lateMsMin = 1_000;
const once: readonly AuditKind[] = ['intent', 'outcome', 'followed', 'unknown', 'refused'];

interface Last {
  readonly seq: number | string | null;
  readonly digest: string | null;
  readonly at_ms: number | string | null;
}

interface Waiting {
  readonly entry: AuditEntry;
  readonly since: number | undefined;
  resolve(row: AuditRow): void;
  reject(error: unknown): void;
}

/** Keeps the count and digest of subjects that the row does not name. */
const unnamed = ({ subjectsInAll, subjectsDigest }: AuditEntry['detail']): AuditEntry['detail'] =>
  subjectsInAll === undefined || subjectsDigest === undefined ? {} : { subjectsInAll, subjectsDigest };

const clock = {
  postgres: 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint',
  sqlite: 'null',
} as const;

export function createAuditLog({
  store,
  replica,
  now,
  appendMs = appendMsDefault,
  onCut = () => {},
}: AuditBookOptions): AuditBook {
  const { dialect } = store;
  const tail = createTail(onCut);
  const waiting: Waiting[] = [];
  let draining: Promise<void> | null = null;

  const migrated = async () => {
    await store.migrate();
    // A moved or replaced file is another store, and starts its own chain.
    tail.beOf(store.generation());
  };
  const last = async (db: Kysely<Tables>) => {
    const { rows } = await sql
      .raw<Last>(
        `select l.seq, l.digest, ${clock[dialect]} as at_ms from (select 1 as one) as o
         left join (select seq, digest from signalbox_audit order by seq desc limit 1) as l on 1 = 1`,
      )
      .execute(db);
    const row = rows[0];
    const end = { seq: Number(row?.seq ?? 0), digest: row?.digest ?? genesis };
    tail.compare(end);
    return { ...end, atMs: row?.at_ms == null ? now() : Number(row.at_ms) };
  };
  const add = async (db: Kysely<Tables>, original: AuditEntry, since?: number): Promise<AuditRow> => {
    // An age, not an instant: all replicas share only the store's clock.
    const waitedMs = since === undefined ? 0 : Math.round(performance.now() - since);
    const lateMs = waitedMs < lateMsMin ? 0 : waitedMs;
    const entry = lateMs === 0 ? original : { ...original, detail: { ...original.detail, lateMs } };
    if (once.includes(entry.kind)) {
      const there = await db
        .selectFrom('signalbox_audit')
        .select(['body', 'digest'])
        .where('thread', '=', entry.thread)
        .where('kind', '=', entry.kind)
        .executeTakeFirst();
      if (there !== undefined) return rowOf(there);
    }
    const { seq, digest, atMs } = await last(db);
    const row = link(entry, { seq: seq + 1, atMs: atMs - lateMs, replica, before: digest });
    await db.insertInto('signalbox_audit').values(row).execute();
    const subjects = subjectKeys(entry.subjects).map((subject) => ({ subject, seq: row.seq }));
    if (subjects.length > 0) await db.insertInto('signalbox_audit_subjects').values(subjects).execute();
    return rowOf(row);
  };
  const write = async <T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> => {
    await migrated();
    return exclusively(store, { lock: 'audit', waitMs: appendMs }, work);
  };
  /** Under load a row costs a statement, not a commit. */
  const drain = async () => {
    for (;;) {
      const batch = waiting.splice(0, batchRows);
      if (batch.length === 0) {
        // This must come before the promise settles. A row that arrives in between would wait for no drain.
        draining = null;
        return;
      }
      try {
        const rows = await write(async (db) => {
          const added: AuditRow[] = [];
          for (const { entry, since } of batch) added.push(await add(db, entry, since));
          return added;
        });
        for (const row of rows) tail.know(row);
        batch.forEach(({ resolve }, i) => {
          const row = rows[i];
          if (row !== undefined) resolve(row);
        });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
  };
  const append = (entry: AuditEntry, since?: number) =>
    new Promise<AuditRow>((resolve, reject) => {
      const end = (error: unknown) => {
        clearTimeout(timer);
        const at = waiting.indexOf(one);
        if (at !== -1) waiting.splice(at, 1);
        const why = { code: 'audit-not-written', facts: {} } as const;
        reject(new ProblemError({ code: 'unavailable', why }, { cause: error }));
      };
      const timer = setTimeout(() => end(new Error(`not written within ${appendMs} ms`)), appendMs);
      const one: Waiting = {
        entry,
        since,
        resolve: (row) => {
          clearTimeout(timer);
          resolve(row);
        },
        reject: end,
      };
      waiting.push(one);
      draining ??= drain();
    });

  const read = async (query: AuditQuery): Promise<readonly AuditRow[]> => {
    await store.migrate();
    const { below, limit, kind, thread, subject, person, fromMs, toMs } = query;
    let rows = store.db
      .selectFrom('signalbox_audit as a')
      .select(['a.body', 'a.digest'])
      .orderBy('a.seq', 'desc')
      .limit(limit);
    if (subject !== undefined)
      rows = rows
        .innerJoin('signalbox_audit_subjects as s', 's.seq', 'a.seq')
        .where('s.subject', '=', sha256(subject));
    if (below !== null) rows = rows.where('a.seq', '<', below);
    if (kind !== undefined) rows = rows.where('a.kind', '=', kind);
    if (thread !== undefined) rows = rows.where('a.thread', '=', thread);
    if (person !== undefined) rows = rows.where('a.person', '=', sha256(person));
    if (fromMs !== undefined) rows = rows.where('a.at_ms', '>=', fromMs);
    if (toMs !== undefined) rows = rows.where('a.at_ms', '<=', toMs);
    return (await rows.execute()).map(rowOf);
  };

  const verify = async () => {
    await migrated();
    const known = tail.last();
    let rows = 0;
    let head = genesis;
    for (;;) {
      const page = await store.db
        .selectFrom('signalbox_audit')
        .selectAll()
        .where('seq', '>', rows)
        .orderBy('seq')
        .limit(walkRows)
        .execute();
      const end = page.at(-1);
      if (end === undefined) {
        if (rows < known.seq) tail.compare({ seq: rows, digest: head }, known);
        tail.know({ seq: rows, digest: head });
        const cutAt = tail.cutAt();
        return { rows: cutAt === null ? rows : cutAt - 1, brokenAt: cutAt, head: rows === 0 ? null : head };
      }
      const subjects = new Map<number, string[]>();
      for (const { seq, subject } of await store.db
        .selectFrom('signalbox_audit_subjects')
        .selectAll()
        .where('seq', '>', rows)
        .where('seq', '<=', Number(end.seq))
        .execute())
        subjects.set(Number(seq), [...(subjects.get(Number(seq)) ?? []), subject]);
      for (const stored of page) {
        const seq = Number(stored.seq);
        const whole = { ...stored, seq, at_ms: Number(stored.at_ms), subjects: subjects.get(seq) ?? [] };
        if (!follows(whole, rows + 1, head)) return { rows, brokenAt: rows + 1, head };
        rows += 1;
        head = stored.digest;
        if (rows === known.seq) tail.compare({ seq: rows, digest: head }, known);
      }
      await yieldToEventLoop();
    }
  };

  /** All intents up to this `seq` have ended; later sweeps skip them. */
  let closedUpTo = 0;
  const closeOpen = (ageMs: number, underWay: ReadonlySet<string> = new Set()) =>
    write(async (db) => {
      const { seq, atMs } = await last(db);
      // The store was replaced by an older copy or an empty one.
      if (closedUpTo > seq) closedUpTo = 0;
      const intents = db
        .selectFrom('signalbox_audit as a')
        .where('a.kind', '=', 'intent')
        .where('a.seq', '>', closedUpTo);
      const firstYoung = await intents
        .select('a.seq')
        .where('a.at_ms', '>=', atMs - ageMs)
        .orderBy('a.seq')
        .executeTakeFirst();
      const open = await intents
        .select(['a.body', 'a.digest'])
        .where('a.at_ms', '<', atMs - ageMs)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('signalbox_audit as b')
                .select('b.seq')
                .whereRef('b.thread', '=', 'a.thread')
                .where('b.kind', 'in', ['outcome', 'unknown', 'refused']),
            ),
          ),
        )
        .orderBy('a.seq')
        .limit(sweptMax)
        .execute();
      const lost = open.map(rowOf).filter(({ thread }) => !underWay.has(thread));
      for (const intent of lost)
        await add(db, {
          ...intent,
          kind: 'unknown',
          detail: { ...unnamed(intent.detail), begunBy: intent.replica },
        });
      if (lost.length === open.length && open.length < sweptMax)
        closedUpTo = firstYoung === undefined ? seq : Number(firstYoung.seq) - 1;
      return lost.length;
    });

  return {
    append,
    read,
    verify,
    closeOpen,
    close: async () => {
      await draining;
    },
  };
}
