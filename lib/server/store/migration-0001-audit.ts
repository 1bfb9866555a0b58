/** The audit: rows that are only ever added. The database itself refuses to change or remove one. */
import { type Kysely, sql } from 'kysely';
import type { Tables } from '@/lib/server/store/tables';

const tables = ['signalbox_audit', 'signalbox_audit_subjects'] as const;

/** SQLite refuses by `raise`, Postgres by a function that both tables share. */
function refusals(dialect: 'sqlite' | 'postgres'): string[] {
  if (dialect === 'sqlite')
    return tables.flatMap((table) =>
      ['update', 'delete'].map(
        (change) =>
          `create trigger ${table}_no_${change} before ${change} on ${table}
           begin select raise(abort, 'the audit is only ever added to'); end`,
      ),
    );
  return [
    `create function signalbox_audit_only_added() returns trigger language plpgsql as
     $$ begin raise exception 'the audit is only ever added to'; end $$`,
    ...tables.map(
      (table) =>
        `create trigger ${table}_only_added before update or delete or truncate on ${table}
         for each statement execute function signalbox_audit_only_added()`,
    ),
  ];
}

export async function audit(db: Kysely<Tables>, dialect: 'sqlite' | 'postgres'): Promise<void> {
  const statements = [
    `create table signalbox_audit (
       seq bigint primary key,
       at_ms bigint not null,
       kind text not null,
       thread text not null,
       person text not null,
       body text not null,
       digest text not null
     )`,
    `create table signalbox_audit_subjects (
       subject text not null,
       seq bigint not null references signalbox_audit (seq),
       primary key (subject, seq)
     )`,
    'create index signalbox_audit_subjects_seq on signalbox_audit_subjects (seq)',
    'create index signalbox_audit_thread on signalbox_audit (thread, seq)',
    'create index signalbox_audit_kind on signalbox_audit (kind, seq)',
    'create index signalbox_audit_person on signalbox_audit (person, seq)',
    'create index signalbox_audit_at on signalbox_audit (at_ms)',
    // An action has each of these once, however many replicas try.
    `create unique index signalbox_audit_once on signalbox_audit (thread, kind)
     where kind in ('intent', 'outcome', 'followed', 'unknown', 'refused')`,
    ...refusals(dialect),
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
