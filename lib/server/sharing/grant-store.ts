/** Share links in the store. Rights are checked in `grants.ts`. */
import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import { type Identity, identityKey } from '@/lib/domain/identity';
import { ProblemError } from '@/lib/domain/problem';
import type { Grant, GrantChange } from '@/lib/domain/sharing/grant';
import { scopeSchema } from '@/lib/domain/sharing/grant-scope';
import type { Store } from '@/lib/server/store/store';
import type { GrantTable } from '@/lib/server/store/tables';

/** The maker's token is apart, so that no answer contains it. */
export interface KeptGrant {
  readonly grant: Grant;
  readonly sealed: string | null;
}

export interface KeptToken {
  readonly sealed: string | null;
  readonly endsAtMs: number | null;
}

export interface GrantBook {
  add(grant: Grant, secret: string, sealed: string | null): Promise<void>;
  /** Newest first. `by`: only the links of this person. */
  list(options: { readonly by: Identity | null; readonly limit: number }): Promise<readonly KeptGrant[]>;
  /** Links that are neither revoked nor ended. */
  count(by: Identity, atMs: number): Promise<number>;
  byId(id: string): Promise<KeptGrant | null>;
  bySecret(secret: string): Promise<KeptGrant | null>;
  byIds(ids: readonly string[]): Promise<readonly KeptGrant[]>;
  /** A revoked link stays revoked. Every change drops the kept token; `token` replaces it on resume. */
  change(id: string, change: GrantChange, atMs: number, token?: KeptToken): Promise<void>;
  /** The maker's token is gone from the backend. A link that has a newer token stays. */
  lose(lost: readonly KeptGrant[], atMs: number): Promise<void>;
  sweep(atMs: number): Promise<void>;
  /** Records a use, at most once every `everyMs`. */
  used(id: string, atMs: number, everyMs: number): Promise<void>;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const msOf = (value: number | string | null) => (value === null ? null : Number(value));
const personOf = (identity: Identity) => sha256(identityKey(identity));

const grantOf = (row: Selectable<GrantTable>): KeptGrant => ({
  grant: {
    id: row.id,
    // In older rows, whose makers' rights are unknown.
    scope: scopeSchema.parse({ sessions: false, ...JSON.parse(row.scope) }),
    madeBy: JSON.parse(row.made_by) as Identity,
    madeAtMs: Number(row.made_at_ms),
    endsAtMs: msOf(row.ends_at_ms),
    pausedAtMs: msOf(row.paused_at_ms),
    revokedAtMs: msOf(row.revoked_at_ms),
    usedAtMs: msOf(row.used_at_ms),
    tokenEndsAtMs: msOf(row.token_ends_at_ms),
    lostAtMs: msOf(row.lost_at_ms),
  },
  sealed: row.sealed,
});

/** Readers cannot use the database's error; the log has it as the cause. */
async function reaching<T>(store: Store, run: () => Promise<T>): Promise<T> {
  try {
    await store.migrate();
    return await run();
  } catch (cause) {
    throw new ProblemError({ code: 'unavailable', why: { code: 'store-not-reached', facts: {} } }, { cause });
  }
}

export function createGrantStore(store: Store): GrantBook {
  const all = () => store.db.selectFrom('signalbox_grants').selectAll();
  const update = () => store.db.updateTable('signalbox_grants');
  const one = async (column: 'id' | 'digest', value: string) => {
    const row = await all().where(column, '=', value).executeTakeFirst();
    return row === undefined ? null : grantOf(row);
  };
  return {
    add: (grant, secret, sealed) =>
      reaching(store, async () => {
        await store.db
          .insertInto('signalbox_grants')
          .values({
            id: grant.id,
            digest: sha256(secret),
            scope: JSON.stringify(grant.scope),
            person: personOf(grant.madeBy),
            made_by: JSON.stringify(grant.madeBy),
            made_at_ms: grant.madeAtMs,
            ends_at_ms: grant.endsAtMs,
            paused_at_ms: null,
            revoked_at_ms: null,
            used_at_ms: null,
            sealed,
            token_ends_at_ms: grant.tokenEndsAtMs,
            lost_at_ms: null,
          })
          .execute();
      }),
    list: ({ by, limit }) =>
      reaching(store, async () => {
        const rows = await all()
          .$if(by !== null, (query) => query.where('person', '=', by === null ? '' : personOf(by)))
          .orderBy('made_at_ms', 'desc')
          .limit(limit)
          .execute();
        return rows.map(grantOf);
      }),
    count: (by, atMs) =>
      reaching(store, async () => {
        const { count } = await store.db
          .selectFrom('signalbox_grants')
          .select((of) => of.fn.countAll().as('count'))
          .where('person', '=', personOf(by))
          .where('revoked_at_ms', 'is', null)
          .where('lost_at_ms', 'is', null)
          .where((where) => where.or([where('ends_at_ms', 'is', null), where('ends_at_ms', '>', atMs)]))
          .executeTakeFirstOrThrow();
        return Number(count);
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
    change: (id, change, atMs, token = { sealed: null, endsAtMs: null }) =>
      reaching(store, async () => {
        const changed = {
          pause: { paused_at_ms: atMs },
          resume: { paused_at_ms: null, token_ends_at_ms: token.endsAtMs },
          revoke: { revoked_at_ms: atMs },
        }[change];
        await update()
          .set({ ...changed, sealed: change === 'resume' ? token.sealed : null })
          .where('id', '=', id)
          .where('revoked_at_ms', 'is', null)
          .execute();
      }),
    lose: (lost, atMs) =>
      reaching(store, async () => {
        for (const { grant, sealed } of lost)
          await update()
            .set({ lost_at_ms: atMs, sealed: null })
            .where('id', '=', grant.id)
            .where('sealed', '=', sealed)
            .execute();
      }),
    sweep: (atMs) =>
      reaching(store, async () => {
        await update()
          .set({ sealed: null })
          .where('sealed', 'is not', null)
          .where((where) =>
            where.or([where('ends_at_ms', '<=', atMs), where('token_ends_at_ms', '<=', atMs)]),
          )
          .execute();
      }),
    used: (id, atMs, everyMs) =>
      reaching(store, async () => {
        await update()
          .set({ used_at_ms: atMs })
          .where('id', '=', id)
          .where((where) =>
            where.or([where('used_at_ms', 'is', null), where('used_at_ms', '<', atMs - everyMs)]),
          )
          .execute();
      }),
  };
}
