/**
 * Who may share what with readers, and take it back. Every change has its row in the audit before it is made.
 *
 * A person manages the grants that they made. Where nobody is asked who they are, all who may write manage all of them:
 * there is nothing to tell them apart by, and a link that got out must be stoppable by whoever is there. With access
 * control, whoever oversees the backend's credentials sees all grants (the audit shows them the same) and may pause and
 * revoke them, which only ever narrows; to resume one is up to who made it.
 */
import { randomBytes, randomUUID } from 'node:crypto';

import { type Grant, type GrantChange, grantState, type Scope, subjectOfScope } from '@/lib/domain/grant';
import { identityKey } from '@/lib/domain/identity';
import { subjectId } from '@/lib/domain/model';
import { ProblemError } from '@/lib/domain/problem';
import type { Caller } from '@/lib/server/identity/caller';
import type { Runtime } from '@/lib/server/runtime';
import { createGrantBook, type GrantBook } from './book';
import { withinReach } from './reach';
import { signToken } from './token';
import { createGrantWatch, type GrantWatch } from './watch';

export interface Grants {
  /** What readers come by. */
  readonly watch: GrantWatch;
  /** The grants that this caller may manage, newest first; `whole`: everybody's. */
  list(
    caller: Caller,
    signal: AbortSignal,
  ): Promise<{ readonly grants: readonly Grant[]; readonly whole: boolean }>;
  /** A share link. The secret is in this answer and nowhere else. */
  create(
    caller: Caller,
    wish: { readonly scope: Scope; readonly endsAtMs: number | null },
    signal: AbortSignal,
  ): Promise<{ readonly grant: Grant; readonly secret: string }>;
  /** A signed token. */
  sign(
    caller: Caller,
    wish: { readonly scope: Scope; readonly lifeMs: number },
    signal: AbortSignal,
  ): Promise<{ readonly token: string; readonly endsAtMs: number }>;
  change(caller: Caller, id: string, change: GrantChange, signal: AbortSignal): Promise<Grant>;
}

type Needs = Pick<Runtime, 'env' | 'store' | 'audit' | 'viewpoints' | 'accessControl' | 'now' | 'log'>;

/** More than anybody reads; older ones are found in the audit. */
const listMax = 500;

const kindOf = { pause: 'grant-paused', resume: 'grant-resumed', revoke: 'grant-revoked' } as const;

const subjectsOf = (scope: Scope) => (scope.view === 'board' ? [] : [subjectId(subjectOfScope(scope))]);

/** What the audit keeps of a scope. */
const detailOf = (scope: Scope) => ({
  view: scope.view,
  ...(scope.view === 'board' ? { prefix: scope.prefix } : {}),
  datacenter: scope.datacenter,
  values: scope.values,
  sessions: scope.sessions,
  frames: scope.frames,
  label: scope.label,
});

export function createGrants(needs: Needs): Grants {
  const { env, audit, viewpoints, accessControl, now } = needs;
  const book: GrantBook = createGrantBook(needs.store);
  const watch = createGrantWatch({ ...needs, book });

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
   * The scope with the datacenter that is watched now, so that the link means the same one for ever, and with a label
   * that goes without the caller's token: it is kept, and stands in every row of the audit.
   */
  const placed = (scope: Scope, { discreet }: Pick<Caller, 'discreet'>): Scope => {
    const { datacenter } = viewpoints.own.hub.snapshot().source;
    if (scope.datacenter !== null && scope.datacenter !== datacenter)
      throw new ProblemError({
        code: 'invalid',
        why: { code: 'request-not-understood', facts: { where: 'scope.datacenter' } },
      });
    return { ...scope, datacenter, label: discreet(scope.label) };
  };

  return {
    watch,
    list: async (caller, signal) => {
      const whole = (await authority(caller, signal)) !== 'own';
      return { grants: await book.list({ by: whole ? null : caller.identity, limit: listMax }), whole };
    },
    create: async (caller, { scope: asked, endsAtMs }, signal) => {
      const wished = placed(asked, caller);
      if (endsAtMs !== null && endsAtMs <= now())
        throw new ProblemError({ code: 'invalid', why: { code: 'grant-end-past', facts: {} } });
      const scope = await withinReach(caller, needs, wished, signal);
      const grant: Grant = {
        id: randomUUID(),
        scope,
        madeBy: caller.identity,
        madeAtMs: now(),
        endsAtMs,
        pausedAtMs: null,
        revokedAtMs: null,
        usedAtMs: null,
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
      await book.add(grant, secret);
      return { grant, secret };
    },
    sign: async (caller, { scope: asked, lifeMs }, signal) => {
      const scope = await withinReach(caller, needs, placed(asked, caller), signal);
      const signed = await signToken(env.embeds.keys, { scope, lifeMs, nowMs: now() });
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
          detail: { grant: 'token', ...detailOf(scope), endsAtMs: signed.endsAtMs },
        }),
      );
      return { token: signed.token, endsAtMs: signed.endsAtMs };
    },
    change: async (caller, id, change, signal) => {
      const unknown = new ProblemError({ code: 'not-found', why: { code: 'no-grant', facts: {} } });
      const grant = await book.byId(id);
      if (grant === null) throw unknown;
      const may = await authority(caller, signal);
      const own = may === 'all' || identityKey(grant.madeBy) === identityKey(caller.identity);
      // Somebody else's is not even said to be there, unless the caller sees it in the list anyway.
      if (!own && (may === 'own' || change === 'resume')) throw unknown;
      const state = grantState(grant, now());
      if (state === 'revoked' || (state === 'ended' && change !== 'revoke'))
        throw new ProblemError({ code: 'stale', why: { code: 'grant-over', facts: {} } });
      if (change === 'resume') {
        // The maker is here with their token, so their rights are asked about again.
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
      await book.change(id, change, now());
      watch.look();
      return (await book.byId(id)) ?? grant;
    },
  };
}
