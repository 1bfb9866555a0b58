/**
 * With whose rights a share link is shown: the token of its maker, sealed. Links from before have none, and show nothing where
 * the backend asks for tokens until their maker resumes them.
 */
import { type Kysely, sql } from 'kysely';
import type { Tables } from '@/lib/server/store/tables';

export async function grantTokens(db: Kysely<Tables>): Promise<void> {
  const statements = [
    'alter table signalbox_grants add column sealed text',
    'alter table signalbox_grants add column token_ends_at_ms bigint',
    'alter table signalbox_grants add column lost_at_ms bigint',
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
