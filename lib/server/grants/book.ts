/** Share links as the store keeps them. Nothing here asks who may; that is `grants.ts`. */
import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';

import type { Grant, GrantChange } from '@/lib/domain/grant';
import { scopeSchema } from '@/lib/domain/grant-scope';
import { type Identity, identityKey } from '@/lib/domain/identity';
import { ProblemError } from '@/lib/domain/problem';
import type { Store } from '@/lib/server/store/store';
import type { GrantTable } from '@/lib/server/store/tables';

export interface GrantBook {
  add(grant: Grant, secret: string): Promise<void>;
  /** Newest first, at most `limit`. `by`: only those that this person made. */
  list(options: { readonly by: Identity | null; readonly limit: number }): Promise<readonly Grant[]>;
  byId(id: string): Promise<Grant | null>;
  bySecret(secret: string): Promise<Grant | null>;
  /** Those of these that exist. */
  byIds(ids: readonly string[]): Promise<readonly Grant[]>;
  /** Marks it. What is revoked stays revoked. */
  change(id: string, change: GrantChange, atMs: number): Promise<void>;
  /** Keeps that it was used, unless a use in the last `everyMs` is kept. */
  used(id: string, atMs: number, everyMs: number): Promise<void>;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const msOf = (value: number | string | null) => (value === null ? null : Number(value));

function grantOf(row: Selectable<GrantTable>): Grant {
  return {
    id: row.id,
    // Nobody asked for sessions before there was that member, and whether its maker might read them is not known.
    scope: scopeSchema.parse({ sessions: false, ...JSON.parse(row.scope) }),
    madeBy: JSON.parse(row.made_by) as Identity,
    madeAtMs: Number(row.made_at_ms),
    endsAtMs: msOf(row.ends_at_ms),
    pausedAtMs: msOf(row.paused_at_ms),
    revokedAtMs: msOf(row.revoked_at_ms),
    usedAtMs: msOf(row.used_at_ms),
  };
}

/** What the database throws is of no use to whoever asked; the log has it as the cause. */
async function reaching<T>(store: Store, run: () => Promise<T>): Promise<T> {
  try {
    await store.migrate();
    return await run();
  } catch (cause) {
    throw new ProblemError({ code: 'unavailable', why: { code: 'store-not-reached', facts: {} } }, { cause });
  }
}

export function createGrantBook(store: Store): GrantBook {
  const all = () => store.db.selectFrom('signalbox_grants').selectAll();
  const one = async (column: 'id' | 'digest', value: string) => {
    const row = await all().where(column, '=', value).executeTakeFirst();
    return row === undefined ? null : grantOf(row);
  };
  return {
    add: (grant, secret) =>
      reaching(store, async () => {
        await store.db
          .insertInto('signalbox_grants')
          .values({
            id: grant.id,
            digest: sha256(secret),
            scope: JSON.stringify(grant.scope),
            person: sha256(identityKey(grant.madeBy)),
            made_by: JSON.stringify(grant.madeBy),
            made_at_ms: grant.madeAtMs,
            ends_at_ms: grant.endsAtMs,
            paused_at_ms: null,
            revoked_at_ms: null,
            used_at_ms: null,
          })
          .execute();
      }),
    list: ({ by, limit }) =>
      reaching(store, async () => {
        const rows = await all()
          .$if(by !== null, (query) => query.where('person', '=', by === null ? '' : sha256(identityKey(by))))
          .orderBy('made_at_ms', 'desc')
          .limit(limit)
          .execute();
        return rows.map(grantOf);
      }),
    byId: (id) => reaching(store, () => one('id', id)),
    bySecret: (secret) => reaching(store, () => one('digest', sha256(secret))),
    byIds: (ids) =>
      reaching(store, async () => {
        if (ids.length === 0) return [];
        return (
          await all()
            .where('id', 'in', [...ids])
            .execute()
        ).map(grantOf);
      }),
    change: (id, change, atMs) =>
      reaching(store, async () => {
        const query = store.db.updateTable('signalbox_grants').where('id', '=', id);
        const set =
          change === 'revoke'
            ? query.set({ revoked_at_ms: atMs })
            : query.set({ paused_at_ms: change === 'pause' ? atMs : null });
        await set.where('revoked_at_ms', 'is', null).execute();
      }),
    used: (id, atMs, everyMs) =>
      reaching(store, async () => {
        await store.db
          .updateTable('signalbox_grants')
          .set({ used_at_ms: atMs })
          .where('id', '=', id)
          .where((where) =>
            where.or([where('used_at_ms', 'is', null), where('used_at_ms', '<', atMs - everyMs)]),
          )
          .execute();
      }),
  };
}
