/** Sign-ins that were ended before their time, so that their cookies stay worthless after a restart. */
import { type Kysely, sql } from 'kysely';
import type { Tables } from '@/lib/server/store/tables';

export async function endedSignIns(db: Kysely<Tables>): Promise<void> {
  const statements = [
    `create table signalbox_ended_sign_ins (
       digest text primary key,
       ends_at_ms bigint not null
     )`,
    'create index signalbox_ended_sign_ins_end on signalbox_ended_sign_ins (ends_at_ms)',
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
