/**
 * Refusals as codes and facts. They come from the `can` table, the provider, the server's edge, or a failed call to the
 * backend. The words are in `lib/i18n`.
 */
import type { ConsulDifference, ConsulFailure, ConsulRefusal, ConsulRule } from '@/lib/domain/codes/consul';
import type { Nothing } from '@/lib/domain/codes/nothing';
import type { RedisDifference, RedisFailure, RedisRefusal } from '@/lib/domain/codes/redis';
import type { StandInDifference, StandInFailure, StandInRefusal } from '@/lib/domain/codes/stand-in';
import type { ZooKeeperDifference, ZooKeeperFailure, ZooKeeperRefusal } from '@/lib/domain/codes/zookeeper';
import type { Said } from './message';
import type { Verdict } from './model';

/** Refusals by the `can` table (`lib/domain/actions/action.ts`). */
export type RuleFacts = {
  'lock-not-in-view': Nothing;
  'semaphore-not-in-view': Nothing;
  'session-not-in-view': Nothing;
  /** Bytes that are not UTF-8 arrive as U+FFFD, so the name may point at another key. */
  'name-not-sure': Nothing;
  'nobody-holds': Nothing;
  'holder-unknown': Nothing;
  'lock-held': Nothing;
  'not-holder': { readonly sessionId: string };
  'not-waiter': { readonly sessionId: string };
  /** Signalbox only shows this kind of lock or semaphore, or does not change it in this way. */
  'not-offered-here': Nothing;
  /** The backend stores the free permits, and the limit is neither stored nor configured here. */
  'limit-not-stored': Nothing;
  /** A read-write lock with several readers: the request must name one. */
  'several-hold': { readonly holders: number };
  'is-ghost': { readonly sessionId: string };
  'no-ghost': Nothing;
  'not-understood': Nothing;
  'limit-already': { readonly limit: number };
  'below-recorded': { readonly recorded: number };
  'holders-recorded': { readonly recorded: number };
  'sessions-wait': { readonly waiters: number };
} & ConsulRule;

/** Refusals by the provider, on rows that it has just read. */
export type ActFacts = {
  'no-lock': { readonly key: string };
  'no-semaphore': { readonly prefix: string };
  'outside-view': { readonly name: string };
  'transaction-refused': Nothing;
  'changed-since': Nothing;
  /** The requested state was there before this request could write it. */
  'done-before': Nothing;
  /** No plan of this action reads what the request claims to have seen. `where`: the member of `expect`. */
  'not-of-plan': { readonly where: string };
  'write-not-seen': Nothing;
  'state-not-readable': Nothing;
  'entry-busy': { readonly tries: number };
  'given-up': Nothing;
} & ConsulRefusal &
  RedisRefusal &
  StandInRefusal &
  ZooKeeperRefusal;

/** Refusals by the server's edge, and by the browser when the server does not answer. */
export type EdgeFacts = {
  'request-not-understood': { readonly where: string | null };
  'reason-needed': Nothing;
  'other-site': Nothing;
  'not-json': Nothing;
  'wrong-type': Nothing;
  'too-large': { readonly bytesMax: number };
  'address-too-long': { readonly lengthMax: number };
  /** `allowed`: the methods that this address accepts, separated by commas. */
  'wrong-method': { readonly allowed: string };
  /** Our bug. `id` points to the error in the server's log, which the caller must not see. */
  'server-bug': { readonly id: string };
  'actions-off': Nothing;
  'not-this-machine-alone': Nothing;
  'this-machine-only': Nothing;
  'too-many-pages': Nothing;
  /** `max`: the streams that one address, or one person whom a proxy names, may have open. */
  'too-many-pages-of-address': { readonly max: number };
  'too-many-pages-of-person': { readonly max: number };
  /** `SIGNALBOX_MODE=read-only`. */
  'read-only-mode': Nothing;
  'sign-in-to-see': Nothing;
  'sign-in-to-act': Nothing;
  /** The backend has not yet said whether it asks for credentials. */
  'access-unknown': Nothing;
  'signed-out-idle': Nothing;
  'signed-out-expired': Nothing;
  /** Signed out in another tab, or for an unknown reason. */
  'signed-out-elsewhere': Nothing;
  /** The page was made for another person than the one who is signed in now. */
  'somebody-else': Nothing;
  /** The cookie is not ours, was changed, or is from before a restart. */
  'sign-in-not-readable': Nothing;
  /** The backend asks for no credentials. */
  'no-sign-in-here': Nothing;
  'too-many-people': { readonly max: number };
  'too-often': { readonly retryAfterMs: number };
  /** `max`: one person's actions under way at a time. */
  'too-many-actions': { readonly max: number };
  /** This person, or this address, has used up its rows of the audit. */
  'audit-budget': { readonly retryAfterMs: number };
  'other-host': Nothing;
  /** The audit record could not be written, so nothing else was. */
  'audit-not-written': Nothing;
  /** The request needs a reader of the whole audit. */
  'audit-in-part': Nothing;
  /** Our own store does not return the audit right now. */
  'audit-not-read': Nothing;
  /** Our own store, which holds the share links, does not answer. */
  'store-not-reached': Nothing;
  /** `SIGNALBOX_EMBEDS=off`. */
  'embeds-off': Nothing;
  /** No `SIGNALBOX_EMBED_KEYS` to sign a token with. */
  'no-embed-keys': Nothing;
  /** The code deliberately says no more. */
  'not-granted': Nothing;
  'no-grant': Nothing;
  /** The share link was revoked or has ended, and stays so. */
  'grant-over': Nothing;
  'grant-end-past': Nothing;
  /** The person's own credential may not read all of the grant. */
  'grant-beyond-reach': Nothing;
  /** Signalbox could not find out whether the person's credential may read all of the grant. */
  'grant-reach-unknown': Nothing;
  /** The backend has forgotten the credential of the grant's maker. */
  'grant-maker-gone': Nothing;
  /** The server's own credential may not read everything, so its view cannot be cut to another person's rights. */
  'grant-server-narrow': Nothing;
  'too-many-grants': { readonly max: number };
  /** The backend asks for credentials, so a signed token must name a share link. */
  'token-needs-grant': Nothing;
  'server-answered': { readonly status: number };
  'server-not-reached': Nothing;
  /** The same key was probed a moment ago, or too many keys were. */
  'probed-just-now': Nothing;
  /** `known`: the ids of the configured ones, separated by commas. */
  'no-source': { readonly source: string; readonly known: string };
  'no-probe': Nothing;
  /** This source asks for credentials, and people sign in to another one here. */
  'second-sign-in': Nothing;
  /** Each person sees this source by their own token, and the source does not know this one. */
  'token-not-of-source': Nothing;
  /** The operator lets this console only show the source. */
  'source-read-only': Nothing;
  'metrics-off': Nothing;
  'metrics-token-needed': Nothing;
};

export type LinkFacts = {
  'no-answer': { readonly timeoutMs: number };
  'not-reached': { readonly errno: string };
  'connection-broke': Nothing;
  'answer-not-readable': { readonly call: string };
  /** `bytes`: the most that Signalbox reads of an answer. */
  'answer-too-large': { readonly bytes: number };
  /** `bytes`: the most that all rows in view may weigh together. */
  'world-too-large': { readonly bytes: number };
  'token-unknown': Nothing;
  'token-refused': Nothing;
  /** The agent itself says that this address has too many connections. */
  'connections-capped': Nothing;
  'call-refused': { readonly call: string; readonly status: number };
} & ConsulFailure &
  RedisFailure &
  StandInFailure &
  ZooKeeperFailure;

export type WhyFacts = RuleFacts & ActFacts & EdgeFacts & LinkFacts;

export type RuleRefusal = Said<RuleFacts>;

/** The reason behind a `ProblemCode`. */
export type Why = Said<WhyFacts>;

/** Sessions are named in full; the words shorten them. */
export type DifferenceFacts = {
  'entry-gone': { readonly key: string };
  /** The entry was deleted and created again. Its modify index may look the same, as after a restore. */
  'entry-replaced': { readonly key: string };
  /** Session ids; `null`: no holder. */
  'holder-changed': { readonly key: string; readonly before: string | null; readonly now: string | null };
  'limit-changed': { readonly before: string; readonly now: string };
  /** Ids, separated by commas; '' for none. */
  'ghosts-changed': { readonly before: string; readonly now: string };
  /** The session's process was likely dead, and no longer is. No index shows this, because a renewal moves none. */
  'verdict-changed': { readonly sessionId: string; readonly before: Verdict; readonly now: Verdict };
  /** The evidence of death is lost, without a sign of life. */
  'verdict-lost': { readonly sessionId: string; readonly before: Verdict; readonly now: Verdict };
} & ConsulDifference &
  RedisDifference &
  StandInDifference &
  ZooKeeperDifference;

export type Difference = Said<DifferenceFacts>;
