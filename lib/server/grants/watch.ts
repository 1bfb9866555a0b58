/**
 * What a reader comes with, and for how long it holds. A link or token is looked at for every request; while a stream is
 * open its link is looked at again every other second, so that a link that is paused or revoked, here or on another
 * replica, ends what it had opened.
 */
import { type Grant, grantState, type Scope } from '@/lib/domain/grant';
import { errorFields } from '@/lib/server/log';
import type { Runtime } from '@/lib/server/runtime';
import type { GrantBook } from './book';
import { openToken } from './token';

/** A grant that holds at this moment. */
export interface OpenGrant {
  /** What its streams are counted by. Says nothing of the secret. */
  readonly id: string;
  readonly kind: 'link' | 'token';
  readonly scope: Scope;
  readonly endsAtMs: number | null;
}

export interface GrantWatch {
  /** What these grant, or `null` for nothing; why is not told. Throws `unavailable` while the store is away. */
  open(shown: { readonly share: string | null; readonly token: string | null }): Promise<OpenGrant | null>;
  /** It has as many streams as it may. */
  isFull(grant: OpenGrant): boolean;
  /** Counts a stream of this grant, and calls `onEnd` once when it holds no more. Call what it returns to leave. */
  enter(grant: OpenGrant, onEnd: () => void): () => void;
  /** Looks at the links of open streams now: one has changed here. */
  look(): void;
  close(): void;
}

type Needs = Pick<Runtime, 'env' | 'viewpoints' | 'now' | 'log'> & { readonly book: GrantBook };

/** Streams of one grant at a time: a page that a whole company has open needs more than one link. */
export const streamsPerGrantMax = 100;
const lookMs = 2_000;
/** Without the store nobody knows what was revoked; for longer than this nothing goes on by it. */
const blindMsMax = 30_000;
const usedMs = 60_000;
const secretShape = /^[\w-]{43}$/;

interface Entered {
  readonly grant: OpenGrant;
  readonly onEnd: () => void;
}

export function createGrantWatch({ env, viewpoints, now, log, book }: Needs): GrantWatch {
  const entered = new Set<Entered>();
  /** When each link was last said to be used. */
  const used = new Map<string, number>();
  let sightMs = now();
  let looking: Promise<void> | null = null;

  const note = (id: string) => {
    if (used.has(id)) return;
    used.set(id, now());
    // To the minute, and nobody waits for it: a reader sees the same whether it could be kept or not.
    book.used(id, now(), usedMs).catch((error: unknown) => {
      used.delete(id);
      log.debug(errorFields(error), 'the use of a share link was not kept');
    });
  };
  const holds = (grant: Grant) => env.embeds.allowed && grantState(grant, now()) === 'active';
  const fits = ({ datacenter }: Scope) => {
    const { source } = viewpoints.own.hub.snapshot();
    return datacenter === null || source.datacenter === null || datacenter === source.datacenter;
  };
  const end = (over: (grant: OpenGrant) => boolean) => {
    for (const one of [...entered])
      if (over(one.grant)) {
        entered.delete(one);
        one.onEnd();
      }
  };
  const lookAtAll = async () => {
    for (const [id, atMs] of used) if (Math.abs(now() - atMs) >= usedMs) used.delete(id);
    // By a clock that was set back the store would seem to have been seen just now, for as long as it is behind.
    sightMs = Math.min(sightMs, now());
    end(({ endsAtMs }) => endsAtMs !== null && endsAtMs <= now());
    const ids = new Set([...entered].flatMap(({ grant }) => (grant.kind === 'link' ? [grant.id] : [])));
    if (ids.size === 0) {
      sightMs = now();
      return;
    }
    try {
      const held = new Set((await book.byIds([...ids])).filter(holds).map(({ id }) => id));
      sightMs = now();
      // Only those that were asked about: one may have come meanwhile.
      end(({ id, kind }) => kind === 'link' && ids.has(id) && !held.has(id));
      for (const id of held) note(id);
    } catch (error) {
      log.warn(errorFields(error), 'share links of open embeds cannot be looked at');
      if (now() - sightMs > blindMsMax) end(({ kind }) => kind === 'link');
    }
  };
  const look = () => {
    const after = looking ?? Promise.resolve();
    const mine = after.then(lookAtAll).finally(() => {
      if (looking === mine) looking = null;
    });
    looking = mine;
  };
  const timer = setInterval(() => {
    if (looking === null) look();
  }, lookMs);
  timer.unref();

  return {
    open: async ({ share, token }) => {
      if (!env.embeds.allowed || (share === null) === (token === null)) return null;
      if (token !== null) {
        const opened = await openToken(env.embeds.keys, token, now());
        return opened === null || !fits(opened.scope) ? null : { kind: 'token', ...opened };
      }
      if (share === null || !secretShape.test(share)) return null;
      const grant = await book.bySecret(share);
      if (grant === null || !holds(grant) || !fits(grant.scope)) return null;
      note(grant.id);
      return { id: grant.id, kind: 'link', scope: grant.scope, endsAtMs: grant.endsAtMs };
    },
    isFull: ({ id }) => [...entered].filter(({ grant }) => grant.id === id).length >= streamsPerGrantMax,
    enter: (grant, onEnd) => {
      const one = { grant, onEnd };
      entered.add(one);
      return () => void entered.delete(one);
    },
    look,
    close: () => {
      clearInterval(timer);
      entered.clear();
    },
  };
}
