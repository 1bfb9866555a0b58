/** Share links of embeds. The secret of a link is not here, only its digest: who reads the store cannot use it. */
import { type Kysely, sql } from 'kysely';
import type { Tables } from '@/lib/server/store/tables';

export async function grants(db: Kysely<Tables>): Promise<void> {
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
