/**
 * The size of the history, kept by the database with each row, so that no writer can forget it. Databases free pages
 * late, and count the audit's with them, but the rows' own bytes fall as soon as rows go.
 */
import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables';

const tables = ['holds', 'waits', 'findings', 'limits', 'gaps', 'hours'].map(
  (name) => `signalbox_history_${name}`,
);

/** Bytes of one row beside its body: its columns and its places in the indexes, as the embedded store keeps them. */
const besideBytes = 350;

const sqlite = (row: 'new' | 'old') => `(length(cast(${row}.body as blob)) + ${besideBytes})`;

/** A sum. `name` begins the names of its triggers. */
interface Sum {
  readonly column: 'bytes' | 'hours_bytes';
  readonly name: string;
}
const whole: Sum = { column: 'bytes', name: 'size' };
const ofHours: Sum = { column: 'hours_bytes', name: 'hours_size' };

const add = ({ column }: Sum, sum: string) =>
  `update signalbox_history_size set ${column} = ${column} + ${sum};`;

function triggersOf(table: string, dialect: 'sqlite' | 'postgres', sum: Sum): string[] {
  if (dialect === 'sqlite')
    return [
      ['insert', sqlite('new')],
      ['delete', `-${sqlite('old')}`],
      ['update', `${sqlite('new')} - ${sqlite('old')}`],
    ].map(
      ([change, of]) =>
        `create trigger ${table}_${sum.name}_${change} after ${change} on ${table} begin ${add(sum, of ?? '')} end`,
    );
  return [
    ['insert', 'new table as fresh'],
    ['delete', 'old table as gone'],
    ['update', 'new table as fresh old table as gone'],
  ].map(
    ([change, rows]) =>
      `create trigger ${table}_${sum.name}_${change} after ${change} on ${table} referencing ${rows}
       for each statement execute function signalbox_history_${sum.name}_${change}()`,
  );
}

/** Postgres runs one function a statement, over all of its rows. */
function functions(sum: Sum): string[] {
  const total = (rows: string) =>
    `(select coalesce(sum(octet_length(body) + ${besideBytes}), 0) from ${rows})`;
  return Object.entries({
    insert: total('fresh'),
    delete: `-${total('gone')}`,
    update: `${total('fresh')} - ${total('gone')}`,
  }).map(
    ([change, of]) =>
      `create function signalbox_history_${sum.name}_${change}() returns trigger language plpgsql as
       $$ begin ${add(sum, of)} return null; end $$`,
  );
}

const totalOf = (table: string, dialect: 'sqlite' | 'postgres') => {
  const length = dialect === 'sqlite' ? 'length(cast(body as blob))' : 'octet_length(body)';
  return `(select coalesce(sum(${length} + ${besideBytes}), 0) from ${table})`;
};

export async function historySize(db: Kysely<Tables>, dialect: 'sqlite' | 'postgres'): Promise<void> {
  const sums = tables.map((table) => totalOf(table, dialect));
  const statements = [
    `create table signalbox_history_size (
       id integer primary key, bytes bigint not null, kept_from_ms bigint not null
     )`,
    `insert into signalbox_history_size (id, bytes, kept_from_ms) values (1, ${sums.join(' + ')}, 0)`,
    ...(dialect === 'sqlite' ? [] : functions(whole)),
    ...tables.flatMap((table) => triggersOf(table, dialect, whole)),
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/** The figures of hours have their own sum, because they have their own part of the room. */
export async function historyHoursSize(db: Kysely<Tables>, dialect: 'sqlite' | 'postgres'): Promise<void> {
  const hours = 'signalbox_history_hours';
  const statements = [
    'alter table signalbox_history_size add column hours_bytes bigint not null default 0',
    `update signalbox_history_size set hours_bytes = ${totalOf(hours, dialect)}`,
    ...(dialect === 'sqlite' ? [] : functions(ofHours)),
    ...triggersOf(hours, dialect, ofHours),
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
