/**
 * Why something is refused, as codes and facts: what the `can` table says before anything is asked of the backend, what
 * the provider says on a fresh read, what the server's edge says, and how a call to the backend failed. The words are
 * in `lib/i18n`.
 */
import type { Verdict } from './model';
import type { Said } from './said';

/** No facts: the code says it all. */
export type Nothing = Readonly<Record<string, never>>;

/** What the table of permissions may answer. Each has its `ProblemCode` in `lib/domain/actions/action.ts`. */
export type RuleFacts = {
  'lock-not-in-view': Nothing;
  'semaphore-not-in-view': Nothing;
  'session-not-in-view': Nothing;
  /** A name with bytes that are no UTF-8 arrives with U+FFFD in their place, and so may name another key. */
  'name-not-sure': Nothing;
  /** The backend has such a key, from a time when it took it, and refuses every write of it. */
  'key-refused': Nothing;
  'nobody-holds': Nothing;
  /** The key went with its session; only its name is still under the lock-delay. */
  'key-gone': Nothing;
  'holder-unknown': Nothing;
  'lock-held': Nothing;
  'not-holder': { readonly sessionId: string };
  'is-ghost': { readonly sessionId: string };
  /** Recorded by a program with rules of its own, under a name that Consul knows nothing of. */
  'not-a-session': { readonly name: string };
  /** Recorded by such a program, by which no key is locked: there is no entry to compare before the slot is taken. */
  'locks-nothing-here': { readonly sessionId: string };
  'no-ghost': Nothing;
  'not-understood': Nothing;
  'limit-already': { readonly limit: number };
  'below-recorded': { readonly recorded: number };
  'holders-recorded': { readonly recorded: number };
  'sessions-wait': { readonly waiters: number };
};

/** What the provider may answer on top of that, on rows that it has just read. */
export type ActFacts = {
  'no-lock': { readonly key: string };
  'no-semaphore': { readonly prefix: string };
  'no-session': { readonly sessionId: string };
  'no-entry': { readonly key: string };
  /** Within a lock-delay of the coordination entry Consul does not say which sessions have ended. */
  'entry-delayed': { readonly key: string };
  /** It looked like that of a ghost: lists leave out what the token may not see. */
  'session-hidden': { readonly sessionId: string };
  'outside-view': { readonly name: string };
  'entry-locked': Nothing;
  'prefixes-not-readable': Nothing;
  'idle-not-sure': Nothing;
  'transaction-refused': Nothing;
  'changed-since': Nothing;
  /** What was asked for is so already, and not by this request. */
  'done-before': Nothing;
  'not-in-plan': { readonly name: string };
  /** No plan of this action sees what the request says that it saw. `where`: the member of `expect`. */
  'not-of-plan': { readonly where: string };
  'write-not-seen': Nothing;
  'state-not-readable': Nothing;
  'entry-busy': { readonly tries: number };
  'given-up': Nothing;
  'record-left': Nothing;
};

/** What the server's edge may answer before a provider is asked, and the browser when the server does not answer. */
export type EdgeFacts = {
  'request-not-understood': { readonly where: string | null };
  'reason-needed': Nothing;
  'other-site': Nothing;
  'not-json': Nothing;
  'wrong-type': Nothing;
  'too-large': { readonly bytesMax: number };
  'address-too-long': { readonly lengthMax: number };
  /** `allowed`: the methods that this address knows, separated by commas. */
  'wrong-method': { readonly allowed: string };
  /** A mistake of ours. `id` is in the server's log beside the error itself, which is nobody else's business. */
  'server-bug': { readonly id: string };
  'actions-off': Nothing;
  'not-this-machine-alone': Nothing;
  'this-machine-only': Nothing;
  'too-many-pages': Nothing;
  /** `max`: streams that one address, or one person whom a proxy names, may have open. */
  'too-many-pages-of-address': { readonly max: number };
  'too-many-pages-of-person': { readonly max: number };
  /** `SIGNALBOX_MODE=read-only`. */
  'read-only-mode': Nothing;
  /** The backend asks who somebody is, and nobody has said. */
  'sign-in-to-see': Nothing;
  'sign-in-to-act': Nothing;
  /** Whether the backend asks who somebody is could not be found out so far. */
  'access-unknown': Nothing;
  'signed-out-idle': Nothing;
  'signed-out-expired': Nothing;
  /** Signed out in another tab, or by what cannot be told here. */
  'signed-out-elsewhere': Nothing;
  /** The page was made for somebody else than who is signed in now. */
  'somebody-else': Nothing;
  /** The cookie cannot be opened: it is not ours, was changed, or is from before a restart. */
  'sign-in-not-readable': Nothing;
  /** Nobody asks for credentials here, so there is nothing to sign in to. */
  'no-sign-in-here': Nothing;
  'too-many-people': { readonly max: number };
  /** So many tokens of different rights can be shown what they may see at a time. It is tried again after `retryAfterMs`. */
  'too-many-rights': { readonly max: number; readonly retryAfterMs: number };
  'too-often': { readonly retryAfterMs: number };
  /** So many actions of one person are under way at a time. */
  'too-many-actions': { readonly max: number };
  /** Their rows have filled what one person, or one address, may fill of the audit for now. */
  'audit-budget': { readonly retryAfterMs: number };
  /** The request names a host that this server does not answer to. */
  'other-host': Nothing;
  /** The audit record could not be written, so nothing else was. */
  'audit-not-written': Nothing;
  /** Only who sees all of the audit may ask that. */
  'audit-in-part': Nothing;
  /** Our own store does not give out the audit right now. */
  'audit-not-read': Nothing;
  /** Our own store, with the share links in it, cannot be read or written right now. */
  'store-not-reached': Nothing;
  /** `SIGNALBOX_EMBEDS=off`. */
  'embeds-off': Nothing;
  /** There is no `SIGNALBOX_EMBED_KEYS` to sign a token with. */
  'no-embed-keys': Nothing;
  /** An embed was asked for with nothing that grants it. Deliberately says no more. */
  'not-granted': Nothing;
  'no-grant': Nothing;
  /** A share link that was revoked or has ended stays so. */
  'grant-over': Nothing;
  'grant-end-past': Nothing;
  /** The person's own credential may not read all that the grant would show. */
  'grant-beyond-reach': Nothing;
  /** Whether it may could not be found out. */
  'grant-reach-unknown': Nothing;
  /** The backend has forgotten the credential of who made it. */
  'grant-maker-gone': Nothing;
  /** The server's own credential may not read everything, so nothing can be cut to the rights of another. */
  'grant-server-narrow': Nothing;
  'too-many-grants': { readonly max: number };
  /** Where the backend asks for credentials a signed token names a share link. */
  'token-needs-grant': Nothing;
  'server-answered': { readonly status: number };
  'server-not-reached': Nothing;
  /** This key was asked about a moment ago, or too many keys were. */
  'probed-just-now': Nothing;
  'no-probe': Nothing;
  'metrics-off': Nothing;
  'metrics-token-needed': Nothing;
};

/** How a call to the backend failed. `write`: a write was on its way, so whether it was made is not known. */
export type LinkFacts = {
  'no-answer': { readonly timeoutMs: number };
  'not-reached': { readonly errno: string };
  'connection-broke': Nothing;
  /** A new connection was closed before it was answered: a full agent does that, and so does a broken one. */
  'connection-not-taken': Nothing;
  'answer-not-readable': { readonly call: string };
  /** `bytes`: the most that is read of an answer. */
  'answer-too-large': { readonly bytes: number };
  /** `bytes`: the most that all rows in view may weigh together. */
  'world-too-large': { readonly bytes: number };
  'token-unknown': Nothing;
  'token-refused': Nothing;
  'rate-limited': Nothing;
  'leader-rate-limited': Nothing;
  /** The agent says itself that it accepts no more connections from this address. */
  'connections-capped': Nothing;
  'name-unknown': Nothing;
  /** `bytes`: of the request, values in base64; `null`: not counted. */
  'write-too-large': { readonly bytes: number | null };
  'no-leader-now': Nothing;
  'no-server-known': Nothing;
  'leader-lost': Nothing;
  /** What is shown is a server's own copy, read without a leader. */
  'old-copy': Nothing;
  'call-refused': { readonly call: string; readonly status: number };
  'call-failed': { readonly call: string; readonly status: number };
};

export type WhyFacts = RuleFacts & ActFacts & EdgeFacts & LinkFacts;

/** A rule that says no. */
export type RuleRefusal = Said<RuleFacts>;

/** Why something failed, beyond what its `ProblemCode` says. */
export type Why = Said<WhyFacts>;

/** One thing that differs from what the operator saw. Sessions are named in full; the words shorten them. */
export type DifferenceFacts = {
  'entry-came': { readonly key: string; readonly index: string };
  'entry-gone': { readonly key: string };
  /** Deleted and made again, with an index that looks the same, as after a restore. */
  'entry-replaced': { readonly key: string };
  /** `null`: nobody. */
  'holder-changed': { readonly key: string; readonly before: string | null; readonly now: string | null };
  'index-changed': { readonly key: string; readonly before: string | null; readonly now: string };
  'limit-changed': { readonly before: string; readonly now: string };
  /** Ids, separated by commas; '' for none. */
  'ghosts-changed': { readonly before: string; readonly now: string };
  'session-gone': { readonly sessionId: string };
  /** Its process was likely dead, and is not any more: a renewal moves no index. */
  'verdict-changed': { readonly sessionId: string; readonly before: Verdict; readonly now: Verdict };
  /** As above, but nothing was seen of it: it is only that nobody can tell any more whether it is dead. */
  'verdict-lost': { readonly sessionId: string; readonly before: Verdict; readonly now: Verdict };
  'holdings-changed': {
    readonly sessionId: string;
    readonly before: number;
    readonly now: number;
    /** The first keys that it holds now, one a line. */
    readonly keys: string;
  };
};

export type Difference = Said<DifferenceFacts>;
