/**
 * Who makes a request, and from where they look: resolved once for each request. A program's own header counts first,
 * because somebody wrote it for this request; then the sealed cookie, which a browser adds to every request by itself;
 * then the word of a trusted proxy; and without any of these somebody is anonymous. Where the backend asks for no
 * credentials, those that are presented prove nothing and are not looked at.
 */

import type { AccessControl, Identity } from '@/lib/domain/identity';
import { isProblem, ProblemError } from '@/lib/domain/problem';
import type { Why } from '@/lib/domain/refusal';
import type { Backend } from '@/lib/domain/seam/backend';
import { type ActionsAllowed, mayAct, maySee } from '@/lib/server/http/access';
import type { Arrival, Arrivals } from '@/lib/server/http/arrival';
import { HttpProblem } from '@/lib/server/http/http';
import { type Limits, networkOf } from '@/lib/server/http/limits';
import type { Viewpoint, Viewpoints } from '@/lib/server/identity/credential-pool';
import type { TokenSeal } from '@/lib/server/identity/sealed-token';
import type { SignIns } from '@/lib/server/identity/sign-ins';
import type { Env } from '@/lib/server/process/env';
import { createDiscreet, type Discreet } from '@/lib/server/process/scrub';
import { type Credentials, credentialName } from './credentials';
import { clearCookie, readCookie, type Seal, type SignIn } from './seal';

/** Anybody who asks anything, whether there is something to see for them or not. */
export interface Guest {
  readonly identity: Identity;
  /** Of the person, as far as it is known. */
  readonly address: string | null;
  /** What proved who they are. A cookie comes with every request of a browser, whoever made the page; a header does not. */
  readonly by: 'cookie' | 'bearer' | 'proxy' | 'nothing';
  /** Their browser speaks TLS. */
  readonly secure: boolean;
  readonly accessControl: AccessControl;
  /** Why there is nothing to see for them; `null`: they may look. */
  readonly why: Why | null;
  readonly writes: ActionsAllowed;
  /** The sign-in behind a cookie that holds. */
  readonly signIn: SignIn | null;
  /** The cookie that came is worth nothing: it is to be taken away. */
  readonly spentCookie: boolean;
  /** When the sign-in ends by itself, in epoch milliseconds. */
  readonly endsAtMs: number | null;
  /** When it ends if nothing is done until then. */
  readonly idleEndsAtMs: number | null;
  /** When the backend will forget their token; `null`: never, it does not say, or they have none. */
  readonly tokenEndsAtMs: number | null;
}

/** Somebody who may look. */
export interface Caller extends Guest {
  readonly viewpoint: Viewpoint;
  /** Takes their token out of what is written down of them. */
  readonly discreet: Discreet;
  /** Their token, sealed for one share. `null`: they came without one. */
  readonly lend: ((seal: TokenSeal, grantId: string) => string) | null;
}

export type CallerRuntime = {
  readonly env: Env;
  readonly backend: Backend;
  readonly viewpoints: Viewpoints;
  readonly arrivals: Arrivals;
  readonly seal: Seal;
  readonly signIns: SignIns;
  readonly credentials: Credentials;
  readonly accessControl: () => Promise<AccessControl>;
  readonly limits: Limits;
};

/** What was presented, once it was checked. `ended`: it was a cookie, and why it holds no more. */
interface Presented {
  readonly identity: Identity;
  readonly by: Guest['by'];
  readonly secret: string | null;
  readonly signIn: SignIn | null;
  readonly endsAtMs: number | null;
  readonly tokenEndsAtMs: number | null;
  readonly ended: Why | null;
}

const invalid = () =>
  new ProblemError({
    code: 'invalid',
    why: { code: 'request-not-understood', facts: { where: 'authorization' } },
  });

/** The token that a program presents; `null`: none. Throws `invalid` where it presents two different ones. */
function bearerOf(headers: Headers): string | null {
  const authorization = headers.get('authorization');
  const own = headers.get('x-consul-token')?.trim() || null;
  if (authorization === null) return own;
  // Basic credentials are for a proxy in between that did not take them away; they are nothing to us.
  const bearer = /^bearer\s+(\S+)\s*$/i.exec(authorization)?.[1] ?? null;
  if (bearer === null && /^bearer\b/i.test(authorization)) throw invalid();
  if (bearer !== null && own !== null && bearer !== own) throw invalid();
  return bearer ?? own;
}

/** What stands in a header, without the scheme before it. */
const lastWord = (text: string | null) => text?.trim().split(/\s+/).at(-1) ?? null;

/** The tokens that a program presents, whether they prove anything or not. */
export const presentedTokens = (headers: Headers): (string | null)[] => [
  lastWord(headers.get('authorization')),
  lastWord(headers.get('x-consul-token')),
];

/**
 * The tokens that came with a request, whether they still prove anything or not: what must not be written down of somebody
 * who was turned away. A sign-in that has ended has its token in the cookie all the same.
 */
export async function tokensIn(
  headers: Headers,
  { arrivals, seal }: Pick<CallerRuntime, 'arrivals' | 'seal'>,
): Promise<(string | null)[]> {
  const cookie = readCookie(headers, arrivals(headers).secure);
  const signIn = cookie === null ? null : await seal.open(cookie);
  return [...presentedTokens(headers), signIn?.secret ?? null];
}

function stranger({ person }: Arrival, ended: Why | null): Presented {
  const identity: Identity = person === null ? { kind: 'anonymous' } : { kind: 'proxy', name: person };
  const by = person === null ? 'nothing' : 'proxy';
  return { identity, by, secret: null, signIn: null, endsAtMs: null, tokenEndsAtMs: null, ended };
}

/**
 * A program sends its token with each request, and an unknown token costs the backend a question each time. So an
 * unconfirmed token waits after too many refusals. A confirmed token never waits for the guesses of others.
 */
async function byBearer(
  secret: string,
  { address }: Arrival,
  { credentials, limits }: CallerRuntime,
): Promise<Presented> {
  const program = { identity: { kind: 'anonymous' }, address, credential: credentialName(secret) } as const;
  if (!credentials.knows(secret)) await limits.take('token', program);
  const who = await credentials.whoIs(secret);
  if (isProblem(who)) {
    if (who.code === 'signed-out') await limits.refused(program, 'token');
    throw new ProblemError(who);
  }
  const identity: Identity = { kind: 'token', id: who.id, name: who.name };
  const { endsAtMs } = who;
  return { identity, by: 'bearer', secret, signIn: null, endsAtMs, tokenEndsAtMs: endsAtMs, ended: null };
}

async function byCookie(sealed: string, arrival: Arrival, runtime: CallerRuntime): Promise<Presented> {
  const { seal, signIns, credentials } = runtime;
  const signIn = await seal.open(sealed);
  if (signIn === null) return stranger(arrival, { code: 'sign-in-not-readable', facts: {} });
  await signIns.ready();
  const ended = signIns.ended(signIn);
  if (ended !== null) return stranger(arrival, ended);
  const who = await credentials.whoIs(signIn.secret);
  if (isProblem(who) && who.code === 'signed-out')
    return stranger(arrival, who.why ?? { code: 'token-unknown', facts: {} });
  // An outage is no sign-out: we sealed who it was when the backend still said so.
  const { id, name } = isProblem(who) ? signIn.who : who;
  const identity: Identity = { kind: 'token', id, name };
  const { secret, endsAtMs } = signIn;
  const tokenEndsAtMs = isProblem(who) ? null : who.endsAtMs;
  return { identity, by: 'cookie', secret, signIn, endsAtMs, tokenEndsAtMs, ended: null };
}

async function presentedOf(
  headers: Headers,
  arrival: Arrival,
  runtime: CallerRuntime,
  control: AccessControl,
): Promise<Presented> {
  if (control === 'off') return stranger(arrival, null);
  const bearer = bearerOf(headers);
  if (bearer !== null) return byBearer(bearer, arrival, runtime);
  const cookie = readCookie(headers, arrival.secure);
  return cookie === null ? stranger(arrival, null) : byCookie(cookie, arrival, runtime);
}

interface Resolved {
  readonly guest: Guest;
  readonly secret: string | null;
}

async function resolve(headers: Headers, runtime: CallerRuntime): Promise<Resolved> {
  const { env, backend, signIns } = runtime;
  const arrival = runtime.arrivals(headers);
  const control = await runtime.accessControl();
  const { identity, by, secret, signIn, endsAtMs, tokenEndsAtMs, ended } = await presentedOf(
    headers,
    arrival,
    runtime,
    control,
  );
  const unseen = maySee(env, control, identity, backend.hasOwnCredential);
  return {
    secret,
    guest: {
      identity,
      address: arrival.address,
      by,
      secure: arrival.secure,
      accessControl: control,
      // To somebody whose sign-in has ended, that it has is news; that one has to sign in they know.
      why: unseen === null ? null : (ended ?? unseen),
      writes: mayAct(env, control, identity),
      signIn,
      // Who signs in anew ends what was before, and tabs that hear of it may still ask with the old cookie: an answer that
      // took it away could arrive last, and take the new one.
      spentCookie: ended !== null && ended.code !== 'signed-out-elsewhere',
      endsAtMs,
      idleEndsAtMs: signIn === null ? null : signIns.idleEndsAtMs(signIn),
      tokenEndsAtMs,
    },
  };
}

/**
 * Anybody, before it is asked whether they may look. Throws for a program's token that the backend does not know
 * (`signed-out`), cannot check (`unavailable`), that has to wait (`busy`), or that is not well-formed (`invalid`).
 */
export async function guestOf(headers: Headers, runtime: CallerRuntime): Promise<Guest> {
  return (await resolve(headers, runtime)).guest;
}

/** Resolves the caller. Throws an `HttpProblem` of code `signed-out` (401) for one who may not look, and `busy`. */
export async function callerOf(headers: Headers, runtime: CallerRuntime): Promise<Caller> {
  const { guest, secret } = await resolve(headers, runtime);
  const taken: Record<string, string> = guest.spentCookie ? { 'set-cookie': clearCookie(guest.secure) } : {};
  if (guest.why !== null) throw new HttpProblem({ code: 'signed-out', why: guest.why }, 401, taken);
  const { viewpoints } = runtime;
  return {
    ...guest,
    viewpoint: secret === null ? viewpoints.own : viewpoints.of(secret, networkOf(guest.address)),
    discreet: createDiscreet([secret]),
    lend: secret === null ? null : (seal, grantId) => seal.seal(secret, grantId),
  };
}
