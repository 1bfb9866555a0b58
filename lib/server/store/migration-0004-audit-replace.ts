/**
 * SQLite's `insert or replace` removes the rows in its way without firing the triggers of `0001-audit`. A trigger before the
 * insert comes first. Rows collide by their number, by what an action has once, and by SQLite's own `rowid`, which any
 * statement may name. Postgres has no such insert: its upsert is an update, which is refused.
 */
import { type Kysely, sql } from 'kysely';
import type { Tables } from '@/lib/server/store/tables';

const inTheWay = {
  signalbox_audit: [
    'seq = new.seq',
    'rowid = new.rowid',
    `thread = new.thread and kind = new.kind
       and kind in ('intent', 'outcome', 'followed', 'unknown', 'refused')`,
  ],
  signalbox_audit_subjects: ['subject = new.subject and seq = new.seq', 'rowid = new.rowid'],
} as const;

export async function auditReplace(db: Kysely<Tables>, dialect: 'sqlite' | 'postgres'): Promise<void> {
  if (dialect === 'postgres') return;
  for (const [table, ways] of Object.entries(inTheWay)) {
    const isInTheWay = ways.map((way) => `exists (select 1 from ${table} where ${way})`).join(' or ');
    await sql
      .raw(
        `create trigger ${table}_no_replace before insert on ${table} when ${isInTheWay}
         begin select raise(abort, 'the audit is only ever added to'); end`,
      )
      .execute(db);
  }
}
