/**
 * Checks the contents, rights and time of an embed: with every request, and for open streams every other second. A link
 * that is paused or revoked on any replica ends its streams. Where the backend asks for credentials, an embed shows
 * what the maker's token, sealed beside the link (`sealed-token.ts`), may read now. A link without a token shows
 * nothing.
 */

import { type Problem, ProblemError } from '@/lib/domain/problem';
import { type Grant, grantState, isTokenGone, type Scope, scopeWithin } from '@/lib/domain/sharing/grant';
import type { Env } from '@/lib/server/process/env';
import { errorFields } from '@/lib/server/process/log';
import type { KeptGrant } from './grant-store';
import { openToken } from './grant-token';
import { controlUnknown, createMakers, type Maker, type MakerNeeds, narrow } from './makers';
import { sourceOfScope } from './scope-cut';

export interface OpenGrant {
  /** Counts its streams. Does not reveal the secret. */
  readonly id: string;
  readonly kind: 'link' | 'token';
  readonly scope: Scope;
  readonly endsAtMs: number | null;
  /** `null`: the backend asks for no credentials. */
  readonly maker: Maker | null;
}

/** Called once when the stream must end; `null`: the reader must ask again. */
type OnEnd = (problem: Problem | null) => void;

export interface GrantWatch {
  /** `null`: no grant. Throws `unavailable` while that is unknown. */
  open(shown: { readonly share: string | null; readonly token: string | null }): Promise<OpenGrant | null>;
  isFull(grant: OpenGrant): boolean;
  /** The returned function ends the count. */
  enter(grant: OpenGrant, onEnd: OnEnd): () => void;
  /** The backend no longer knows this credential. */
  forget(name: string): void;
  /** Looks at once, after a change here. */
  look(): void;
  close(): void;
}

type Needs = MakerNeeds & { readonly env: Env };

/** A page that a whole company has open needs more than one link. */
export const streamsPerGrantMax = 100;
/** Half of all streams. */
export const streamsPerMakerMax = 500;
const lookMs = 2_000;
/** Without the store a revocation stays unknown, so streams end after this time. */
const blindMsMax = 30_000;
const usedMs = 60_000;
const sweepMs = 60_000;
const secretShape = /^[\w-]{43}$/;

const notGranted: Problem = { code: 'not-found', why: { code: 'not-granted', facts: {} } };
const makerGone: Problem = { code: 'not-found', why: { code: 'grant-maker-gone', facts: {} } };

interface Entered {
  readonly grant: OpenGrant;
  readonly onEnd: OnEnd;
}

export function createGrantWatch(needs: Needs): GrantWatch {
  const { env, backend, viewpoints, accessControl, now, log, book } = needs;
  const makers = createMakers(needs);
  const entered = new Set<Entered>();
  const used = new Map<string, number>();
  let sightMs = now();
  let sweptMs = Number.NEGATIVE_INFINITY;
  let inFlight: Promise<void> | null = null;

  const note = (id: string) => {
    if (used.has(id)) return;
    used.set(id, now());
    // Not awaited: a reader sees the same if recording fails.
    book.used(id, now(), usedMs).catch((error: unknown) => {
      used.delete(id);
      log.debug(errorFields(error), 'the use of a share link was not kept');
    });
  };
  const holds = (grant: Grant) => env.embeds.allowed && grantState(grant, now()) === 'active';
  const fits = (scope: Scope) => {
    const { datacenter } = scope;
    const source = sourceOfScope(viewpoints.own.hub.snapshot().source, scope);
    return datacenter === null || source.datacenter === null || datacenter === source.datacenter;
  };
  /** `undefined` for a stream that continues. */
  const end = (problemOf: (grant: OpenGrant) => Problem | null | undefined) => {
    for (const one of [...entered]) {
      const problem = problemOf(one.grant);
      if (problem === undefined) continue;
      entered.delete(one);
      one.onEnd(problem);
    }
  };

  const openLink = async (stored: KeptGrant | null) => {
    if (stored === null || !holds(stored.grant) || !fits(stored.grant.scope)) return null;
    const maker = await makers.of(stored);
    return maker === undefined ? null : { grant: stored.grant, maker };
  };
  const openSigned = async (token: string): Promise<OpenGrant | null> => {
    const opened = await openToken(env.embeds.keys, token, now());
    if (opened === null || !fits(opened.scope)) return null;
    const { grantId, ...rest } = opened;
    if (grantId === null) {
      const control = await accessControl();
      if (control === 'unknown') throw new ProblemError(controlUnknown);
      return control === 'on' ? null : { kind: 'token', ...rest, maker: null };
    }
    const link = await openLink(await book.byId(grantId));
    const scope = link === null ? null : scopeWithin(opened.scope, link.grant.scope);
    if (link === null || scope === null) return null;
    note(grantId);
    return { kind: 'token', ...rest, scope, maker: link.maker };
  };

  const linksOf = ({ id, kind, maker }: OpenGrant) =>
    maker !== null ? [maker.grantId] : kind === 'link' ? [id] : [];
  /** `undefined`: none. */
  const problemOfLinks = (grant: OpenGrant, links: ReadonlyMap<string, Grant>): Problem | undefined => {
    for (const id of linksOf(grant)) {
      const link = links.get(id);
      if (link === undefined) return notGranted;
      if (!holds(link)) return isTokenGone(link, now()) && link.revokedAtMs === null ? makerGone : notGranted;
    }
    return undefined;
  };
  const lookAtControl = async () => {
    const control = await accessControl().catch(() => 'unknown' as const);
    if (control === 'unknown') return;
    // A stream opened without a maker's rights must ask again once access control is on, and the reverse.
    end(({ maker }) => ((maker === null) === (control === 'off') ? undefined : null));
    if (backend.seesAll === 'no') end(({ maker }) => (maker === null ? undefined : narrow));
  };
  const sweep = async () => {
    if (Math.abs(now() - sweptMs) < sweepMs) return;
    sweptMs = now();
    await book
      .sweep(now())
      .catch((error: unknown) => log.debug(errorFields(error), 'tokens of ended shares are still kept'));
  };
  const lookAtAll = async () => {
    for (const [id, atMs] of used) if (Math.abs(now() - atMs) >= usedMs) used.delete(id);
    // A `sightMs` in the future would hide that the store is away.
    sightMs = Math.min(sightMs, now());
    await sweep();
    end(({ endsAtMs }) => (endsAtMs !== null && endsAtMs <= now() ? notGranted : undefined));
    if (entered.size > 0) await lookAtControl();
    const ids = new Set([...entered].flatMap(({ grant }) => linksOf(grant)));
    if (ids.size === 0) {
      sightMs = now();
      return;
    }
    try {
      const links = new Map((await book.byIds([...ids])).map(({ grant }) => [grant.id, grant]));
      sightMs = now();
      // Another grant may have entered meanwhile.
      end((grant) => (linksOf(grant).every((id) => ids.has(id)) ? problemOfLinks(grant, links) : undefined));
      for (const [id, grant] of links) if (holds(grant)) note(id);
    } catch (error) {
      log.warn(errorFields(error), 'share links of open embeds cannot be looked at');
      if (now() - sightMs > blindMsMax) end((grant) => (linksOf(grant).length > 0 ? notGranted : undefined));
    }
  };
  const look = () => {
    const after = inFlight ?? Promise.resolve();
    const current = after.then(lookAtAll).finally(() => {
      if (inFlight === current) inFlight = null;
    });
    inFlight = current;
  };
  const timer = setInterval(() => {
    if (inFlight === null) look();
  }, lookMs);
  timer.unref();

  return {
    open: async ({ share, token }) => {
      if (!env.embeds.allowed || (share === null) === (token === null)) return null;
      if (token !== null) return openSigned(token);
      if (share === null || !secretShape.test(share)) return null;
      const link = await openLink(await book.bySecret(share));
      if (link === null) return null;
      const { id, scope, endsAtMs } = link.grant;
      note(id);
      return { id, kind: 'link', scope, endsAtMs, maker: link.maker };
    },
    isFull: ({ id, maker }) => {
      const all = [...entered].map(({ grant }) => grant);
      const ofMaker = maker === null ? [] : all.filter((grant) => grant.maker?.name === maker.name);
      return (
        all.filter((grant) => grant.id === id).length >= streamsPerGrantMax ||
        ofMaker.length >= streamsPerMakerMax
      );
    },
    enter: (grant, onEnd) => {
      const one = { grant, onEnd };
      entered.add(one);
      return () => void entered.delete(one);
    },
    forget: (name) => {
      const ids = [...entered].flatMap(({ grant: { maker } }) => (maker?.name === name ? maker.grantId : []));
      end(({ maker }) => (maker?.name === name ? makerGone : undefined));
      if (ids.length > 0) void makers.check([...new Set(ids)]);
    },
    look,
    close: () => {
      clearInterval(timer);
      entered.clear();
    },
  };
}
