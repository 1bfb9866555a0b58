/**
 * How much the history takes, kept by the database itself with each row, so that no writer can forget it. Databases free pages late,
 * and count the audit's with them: the rows' own bytes fall as soon as rows go.
 */
import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables';

const tables = ['holds', 'waits', 'findings', 'limits', 'gaps', 'hours'].map(
  (name) => `signalbox_history_${name}`,
);

/** Of one row beside its body: its columns and its places in the indexes, as the embedded store keeps them. */
const besideBytes = 350;

const sqlite = (row: 'new' | 'old') => `(length(cast(${row}.body as blob)) + ${besideBytes})`;
const add = (sum: string) => `update signalbox_history_size set bytes = bytes + ${sum};`;

function triggersOf(table: string, dialect: 'sqlite' | 'postgres'): string[] {
  if (dialect === 'sqlite')
    return [
      ['insert', sqlite('new')],
      ['delete', `-${sqlite('old')}`],
      ['update', `${sqlite('new')} - ${sqlite('old')}`],
    ].map(
      ([change, sum]) =>
        `create trigger ${table}_size_${change} after ${change} on ${table} begin ${add(sum ?? '')} end`,
    );
  return [
    ['insert', 'new table as fresh'],
    ['delete', 'old table as gone'],
    ['update', 'new table as fresh old table as gone'],
  ].map(
    ([change, rows]) =>
      `create trigger ${table}_size_${change} after ${change} on ${table} referencing ${rows}
       for each statement execute function signalbox_history_size_${change}()`,
  );
}

/** Postgres runs one function a statement, over all of its rows. */
function functions(): string[] {
  const sum = (rows: string) => `(select coalesce(sum(octet_length(body) + ${besideBytes}), 0) from ${rows})`;
  return Object.entries({
    insert: sum('fresh'),
    delete: `-${sum('gone')}`,
    update: `${sum('fresh')} - ${sum('gone')}`,
  }).map(
    ([change, of]) =>
      `create function signalbox_history_size_${change}() returns trigger language plpgsql as
       $$ begin ${add(of)} return null; end $$`,
  );
}

export async function historySize(db: Kysely<Tables>, dialect: 'sqlite' | 'postgres'): Promise<void> {
  const length = dialect === 'sqlite' ? 'length(cast(body as blob))' : 'octet_length(body)';
  const sums = tables.map((table) => `(select coalesce(sum(${length} + ${besideBytes}), 0) from ${table})`);
  const statements = [
    `create table signalbox_history_size (
       id integer primary key, bytes bigint not null, kept_from_ms bigint not null
     )`,
    `insert into signalbox_history_size (id, bytes, kept_from_ms) values (1, ${sums.join(' + ')}, 0)`,
    ...(dialect === 'sqlite' ? [] : functions()),
    ...tables.flatMap((table) => triggersOf(table, dialect)),
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
