/**
 * Manages the grants that a caller makes, and their end. Every change is in the audit before it happens.
 *
 * A person manages their own grants. Without sign-in, everyone who may write manages all, because a leaked link must be
 * stoppable. With access control, an overseer of the backend's credentials sees all grants (as in the audit) and may
 * pause and revoke them; only the maker may resume.
 */

import { randomBytes, randomUUID } from 'node:crypto';
import { type AccessControl, identityKey } from '@/lib/domain/identity';
import { subjectId } from '@/lib/domain/model';
import { ProblemError } from '@/lib/domain/problem';
import type { Backend } from '@/lib/domain/seam/backend';
import {
  type Grant,
  type GrantCause,
  type GrantChange,
  grantState,
  hasHistory,
  isTokenGone,
  type Scope,
  type ShownGrant,
  scopeWithin,
  subjectOfScope,
} from '@/lib/domain/sharing/grant';
import { firstSource } from '@/lib/domain/source';
import type { Audit } from '@/lib/server/audit/audit';
import { requireSource } from '@/lib/server/http/known-source';
import type { Caller } from '@/lib/server/identity/caller';
import type { CredentialPool } from '@/lib/server/identity/credential-pool';
import type { Credentials } from '@/lib/server/identity/credentials';
import { createTokenSeal } from '@/lib/server/identity/sealed-token';
import type { Env } from '@/lib/server/process/env';
import type { Log } from '@/lib/server/process/log';
import type { Store } from '@/lib/server/store/store';
import { createGrantStore, type GrantBook, type KeptGrant } from './grant-store';
import { signToken } from './grant-token';
import { createGrantWatch, type GrantWatch } from './grant-watch';
import { narrow } from './makers';
import { sourceOfScope } from './scope-cut';
import { withinReach } from './shareable-scope';

export interface Grants {
  readonly watch: GrantWatch;
  /** Newest first. `whole`: the list has every maker's. */
  list(
    caller: Caller,
    signal: AbortSignal,
  ): Promise<{ readonly grants: readonly ShownGrant[]; readonly whole: boolean }>;
  /** Only this answer contains the secret. */
  create(
    caller: Caller,
    request: { readonly scope: Scope; readonly endsAtMs: number | null },
    signal: AbortSignal,
  ): Promise<{ readonly grant: ShownGrant; readonly secret: string }>;
  /** `grantId`: the caller's link behind it, required where the backend asks for credentials. */
  sign(
    caller: Caller,
    request: { readonly scope: Scope; readonly lifeMs: number; readonly grantId: string | null },
    signal: AbortSignal,
  ): Promise<{ readonly token: string; readonly endsAtMs: number }>;
  change(caller: Caller, id: string, change: GrantChange, signal: AbortSignal): Promise<ShownGrant>;
}

type Needs = {
  readonly env: Env;
  readonly backend: Backend;
  readonly store: Store;
  readonly audit: Audit;
  readonly viewpoints: CredentialPool;
  readonly credentials: Credentials;
  readonly accessControl: () => Promise<AccessControl>;
  readonly now: () => number;
  readonly log: Log;
};

/** Older grants are found in the audit. */
const listMax = 500;
/** Most grants of one person, where the backend identifies people. */
export const grantsPerPersonMax = 200;

const kindOf = { pause: 'grant-paused', resume: 'grant-resumed', revoke: 'grant-revoked' } as const;

const subjectsOf = (scope: Scope) => (scope.view === 'board' ? [] : [subjectId(subjectOfScope(scope))]);

const detailOf = (scope: Scope) => ({
  ...(scope.source === firstSource ? {} : { source: scope.source }),
  view: scope.view,
  ...(scope.view === 'board' ? { prefix: scope.prefix } : {}),
  datacenter: scope.datacenter,
  values: scope.values,
  sessions: scope.sessions,
  ...(hasHistory(scope) ? { history: true } : {}),
  frames: scope.frames,
  label: scope.label,
});

export function createGrants(needs: Needs): Grants {
  const { env, backend, audit, viewpoints, accessControl, now } = needs;
  const book: GrantBook = createGrantStore(needs.store);
  const seal = createTokenSeal(env.signIn.keys);
  const watch = createGrantWatch({ ...needs, book, seal });

  const causeOf = async ({ grant, sealed }: KeptGrant): Promise<GrantCause | null> => {
    const state = grantState(grant, now());
    if (state === 'ended') return isTokenGone(grant, now()) ? 'token-gone' : null;
    if (state !== 'active' || (await accessControl()) === 'off') return null;
    if (sealed === null) return 'no-token';
    if (seal.open(sealed, grant.id) === null) return 'unreadable';
    return backend.seesAll === 'no' ? 'server-narrow' : null;
  };
  const shown = async (stored: KeptGrant): Promise<ShownGrant> => {
    const state = grantState(stored.grant, now());
    const cause = await causeOf(stored);
    return { ...stored.grant, state: cause !== null && state === 'active' ? 'paused' : state, cause };
  };
  const requireSight = async () => {
    if ((await accessControl()) !== 'off' && backend.seesAll === 'no') throw new ProblemError(narrow);
  };
  const requireRoom = async ({ identity }: Caller) => {
    if ((await accessControl()) === 'off' || (await book.count(identity, now())) < grantsPerPersonMax) return;
    throw new ProblemError({
      code: 'invalid',
      why: { code: 'too-many-grants', facts: { max: grantsPerPersonMax } },
    });
  };

  const authority = async (
    { identity, viewpoint }: Caller,
    signal: AbortSignal,
  ): Promise<'all' | 'narrow' | 'own'> => {
    const control = await accessControl();
    if (control === 'off') return 'all';
    if (identity.kind !== 'token') return 'own';
    const { provider } = viewpoint;
    const oversees = await provider.oversees?.(signal).catch(() => 'unknown' as const);
    return oversees === 'yes' ? 'narrow' : 'own';
  };
  /**
   * Fixes the datacenter, so that the link never changes its meaning. Removes the caller's token from the label, which
   * stands in every audit row.
   */
  const placed = (scope: Scope, { discreet }: Pick<Caller, 'discreet'>): Scope => {
    const { source } = viewpoints.own.hub.snapshot();
    requireSource(scope.source, source);
    const { datacenter } = sourceOfScope(source, scope);
    if (scope.datacenter !== null && scope.datacenter !== datacenter)
      throw new ProblemError({
        code: 'invalid',
        why: { code: 'request-not-understood', facts: { where: 'scope.datacenter' } },
      });
    return { ...scope, datacenter, label: discreet(scope.label) };
  };

  const scopeBehind = async (
    caller: Caller,
    requested: Scope,
    grantId: string | null,
    signal: AbortSignal,
  ) => {
    if (grantId === null) {
      if ((await accessControl()) === 'on')
        throw new ProblemError({ code: 'invalid', why: { code: 'token-needs-grant', facts: {} } });
      return withinReach(caller, needs, requested, signal);
    }
    const stored = await book.byId(grantId);
    const may = await authority(caller, signal);
    const own = stored !== null && identityKey(stored.grant.madeBy) === identityKey(caller.identity);
    if (stored === null || !(own || may === 'all'))
      throw new ProblemError({ code: 'not-found', why: { code: 'no-grant', facts: {} } });
    const scope = scopeWithin(requested, stored.grant.scope);
    if (scope === null)
      throw new ProblemError({ code: 'forbidden', why: { code: 'grant-beyond-reach', facts: {} } });
    if ((await shown(stored)).state !== 'active')
      throw new ProblemError({ code: 'stale', why: { code: 'grant-over', facts: {} } });
    return scope;
  };

  return {
    watch,
    list: async (caller, signal) => {
      const whole = (await authority(caller, signal)) !== 'own';
      const list = await book.list({ by: whole ? null : caller.identity, limit: listMax });
      return { grants: await Promise.all(list.map(shown)), whole };
    },
    create: async (caller, { scope: requested, endsAtMs }, signal) => {
      const placedScope = placed(requested, caller);
      if (endsAtMs !== null && endsAtMs <= now())
        throw new ProblemError({ code: 'invalid', why: { code: 'grant-end-past', facts: {} } });
      await requireSight();
      await requireRoom(caller);
      const scope = await withinReach(caller, needs, placedScope, signal);
      const id = randomUUID();
      const sealed = caller.lend?.(seal, id) ?? null;
      const grant: Grant = {
        id,
        scope,
        madeBy: caller.identity,
        madeAtMs: now(),
        endsAtMs,
        pausedAtMs: null,
        revokedAtMs: null,
        usedAtMs: null,
        tokenEndsAtMs: caller.tokenEndsAtMs,
        lostAtMs: null,
      };
      const secret = randomBytes(32).toString('base64url');
      await audit.append(
        caller.discreet({
          kind: 'grant-created',
          thread: grant.id,
          who: caller.identity,
          address: caller.address,
          action: null,
          subjects: subjectsOf(scope),
          reason: scope.label,
          detail: { grant: 'link', ...detailOf(scope), endsAtMs },
        }),
      );
      await book.add(grant, secret, sealed);
      return { grant: await shown({ grant, sealed }), secret };
    },
    sign: async (caller, { scope: requested, lifeMs, grantId }, signal) => {
      const scope = await scopeBehind(caller, placed(requested, caller), grantId, signal);
      const signed = await signToken(env.embeds.keys, { scope, lifeMs, nowMs: now(), grantId });
      if (signed === null)
        throw new ProblemError({ code: 'invalid', why: { code: 'no-embed-keys', facts: {} } });
      await audit.append(
        caller.discreet({
          kind: 'grant-created',
          thread: signed.id,
          who: caller.identity,
          address: caller.address,
          action: null,
          subjects: subjectsOf(scope),
          reason: scope.label,
          detail: { grant: 'token', ...detailOf(scope), endsAtMs: signed.endsAtMs, link: grantId },
        }),
      );
      return { token: signed.token, endsAtMs: signed.endsAtMs };
    },
    change: async (caller, id, change, signal) => {
      const unknown = new ProblemError({ code: 'not-found', why: { code: 'no-grant', facts: {} } });
      const stored = await book.byId(id);
      if (stored === null) throw unknown;
      const { grant } = stored;
      const may = await authority(caller, signal);
      const own = may === 'all' || identityKey(grant.madeBy) === identityKey(caller.identity);
      // Another person's grant does not exist for a caller whose list does not have it.
      if (!own && (may === 'own' || change === 'resume')) throw unknown;
      const state = grantState(grant, now());
      if (state === 'revoked' || (state === 'ended' && change !== 'revoke'))
        throw new ProblemError({ code: 'stale', why: { code: 'grant-over', facts: {} } });
      if (change === 'resume') {
        // The maker is here with their token: rights are checked again and the new token is kept.
        await requireSight();
        const { sessions } = await withinReach(caller, needs, grant.scope, signal);
        if (grant.scope.sessions && !sessions)
          throw new ProblemError({ code: 'forbidden', why: { code: 'grant-beyond-reach', facts: {} } });
      }
      await audit.append(
        caller.discreet({
          kind: kindOf[change],
          thread: id,
          who: caller.identity,
          address: caller.address,
          action: null,
          subjects: subjectsOf(grant.scope),
          reason: '',
          detail: { grant: 'link', ...detailOf(grant.scope) },
        }),
      );
      const sealed = caller.lend?.(seal, id) ?? null;
      await book.change(id, change, now(), { sealed, endsAtMs: caller.tokenEndsAtMs });
      watch.look();
      return shown((await book.byId(id)) ?? stored);
    },
  };
}
