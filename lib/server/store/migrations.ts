/** All migrations in order. A released one never changes: write another. */
import { type Kysely, sql } from 'kysely';
import { historyLost } from './history-lost';
import { historyHoursSize, historySize } from './history-size';
import type { Tables } from './tables';

export interface Migration {
  readonly name: string;
  up(db: Kysely<Tables>, dialect: 'sqlite' | 'postgres'): Promise<void>;
}

export const migrations: readonly Migration[] = [
  { name: '0001-audit', up: audit },
  { name: '0002-grants', up: grants },
  { name: '0003-audit-sent', up: auditSent },
  { name: '0004-audit-replace', up: auditReplace },
  { name: '0005-ended-sign-ins', up: endedSignIns },
  { name: '0006-grant-tokens', up: grantTokens },
  { name: '0007-history', up: history },
  { name: '0008-history-at', up: historyAt },
  { name: '0009-history-size', up: historySize },
  { name: '0010-history-from', up: historyFrom },
  { name: '0011-history-hours-size', up: historyHoursSize },
  { name: '0012-history-lost', up: historyLost },
];

const tables = ['signalbox_audit', 'signalbox_audit_subjects'] as const;

/** SQLite refuses with `raise`, Postgres with a function that both tables share. */
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

async function audit(db: Kysely<Tables>, dialect: 'sqlite' | 'postgres'): Promise<void> {
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

async function grants(db: Kysely<Tables>): Promise<void> {
  const statements = [
    `create table signalbox_grants (
       id text primary key,
       digest text not null unique,
       scope text not null,
       person text not null,
       made_by text not null,
       made_at_ms bigint not null,
       ends_at_ms bigint,
       paused_at_ms bigint,
       revoked_at_ms bigint,
       used_at_ms bigint
     )`,
    'create index signalbox_grants_made on signalbox_grants (made_at_ms)',
    'create index signalbox_grants_person on signalbox_grants (person, made_at_ms)',
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

async function auditSent(db: Kysely<Tables>): Promise<void> {
  await sql
    .raw(
      `create table signalbox_audit_sent (
         receiver text primary key,
         seq bigint not null,
         sender text not null,
         until_ms bigint not null
       )`,
    )
    .execute(db);
}

const inTheWay = {
  signalbox_audit: [
    'seq = new.seq',
    'rowid = new.rowid',
    `thread = new.thread and kind = new.kind
       and kind in ('intent', 'outcome', 'followed', 'unknown', 'refused')`,
  ],
  signalbox_audit_subjects: ['subject = new.subject and seq = new.seq', 'rowid = new.rowid'],
} as const;

async function auditReplace(db: Kysely<Tables>, dialect: 'sqlite' | 'postgres'): Promise<void> {
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

async function endedSignIns(db: Kysely<Tables>): Promise<void> {
  const statements = [
    `create table signalbox_ended_sign_ins (
       digest text primary key,
       ends_at_ms bigint not null
     )`,
    'create index signalbox_ended_sign_ins_end on signalbox_ended_sign_ins (ends_at_ms)',
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

async function grantTokens(db: Kysely<Tables>): Promise<void> {
  const statements = [
    'alter table signalbox_grants add column sealed text',
    'alter table signalbox_grants add column token_ends_at_ms bigint',
    'alter table signalbox_grants add column lost_at_ms bigint',
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/** Holds and waits are most of the history. Each has the two indexes for a timeline and the board's column. */
async function history(db: Kysely<Tables>, dialect: 'sqlite' | 'postgres'): Promise<void> {
  // A prefix is a range of code units, which differs from the order of a language.
  const subject = dialect === 'postgres' ? 'subject text collate "C" not null' : 'subject text not null';
  const columns = (...own: string[]) =>
    [
      'id text primary key',
      'source text not null',
      ...own,
      'from_ms bigint not null',
      'to_ms bigint',
      'body text not null',
    ].join(', ');
  const about = {
    holds: columns(subject, 'party text not null'),
    waits: columns(subject, 'party text not null'),
    findings: columns(subject, 'code text not null'),
    limits: columns(subject),
  };
  const statements = [
    ...Object.entries(about).flatMap(([name, its]) => [
      `create table signalbox_history_${name} (${its})`,
      `create index signalbox_history_${name}_subject on signalbox_history_${name} (subject, from_ms)`,
      `create index signalbox_history_${name}_to on signalbox_history_${name} (to_ms)`,
    ]),
    'create index signalbox_history_holds_from on signalbox_history_holds (from_ms)',
    'create index signalbox_history_holds_party on signalbox_history_holds (party, from_ms)',
    'create index signalbox_history_waits_party on signalbox_history_waits (party, from_ms)',
    `create table signalbox_history_gaps (${columns()})`,
    'create index signalbox_history_gaps_from on signalbox_history_gaps (from_ms)',
    `create table signalbox_history_hours (
       source text not null, ${subject}, hour_ms bigint not null, body text not null,
       primary key (subject, hour_ms)
     )`,
    'create index signalbox_history_hours_hour on signalbox_history_hours (hour_ms)',
    `create table signalbox_history_mark (
       id integer primary key, writer text not null, lease_until_ms bigint not null, begun_ms bigint not null,
       written_until_ms bigint not null
     )`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/** The newest of everything are found by their beginning. */
async function historyFrom(db: Kysely<Tables>): Promise<void> {
  for (const name of ['waits', 'findings'])
    await sql
      .raw(`create index signalbox_history_${name}_from on signalbox_history_${name} (from_ms)`)
      .execute(db);
}

/** Holds at one instant are found in the index alone, because most rows that ended later also began later. */
async function historyAt(db: Kysely<Tables>): Promise<void> {
  for (const name of ['holds', 'waits']) {
    const table = `signalbox_history_${name}`;
    await sql.raw(`create index ${table}_span on ${table} (to_ms, from_ms)`).execute(db);
    await sql.raw(`drop index ${table}_to`).execute(db);
  }
}
