/** How far the audit has been sent to the webhook, and which replica is sending. */
import { type Kysely, sql } from 'kysely';
import type { Tables } from '@/lib/server/store/tables';

export async function auditSent(db: Kysely<Tables>): Promise<void> {
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
