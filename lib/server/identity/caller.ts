/**
 * Resolves the caller of a request, and their viewpoint. A program's own header counts first, because it was written
 * for this request. Then come the sealed cookie and a trusted proxy's word; otherwise the caller is anonymous. Where
 * the backend asks for no credentials, presented ones are ignored.
 */

import type { AccessControl, Identity } from '@/lib/domain/identity';
import { isProblem, ProblemError } from '@/lib/domain/problem';
import type { Why } from '@/lib/domain/refusal';
import type { Backend } from '@/lib/domain/seam/backend';
import { type ActionsAllowed, mayAct, maySee } from '@/lib/server/http/access';
import type { Arrival, Arrivals } from '@/lib/server/http/arrival';
import { HttpProblem } from '@/lib/server/http/http';
import { type Limits, networkOf } from '@/lib/server/http/limits';
import type { CredentialPool, PooledCredential } from '@/lib/server/identity/credential-pool';
import type { TokenSeal } from '@/lib/server/identity/sealed-token';
import type { SignIns } from '@/lib/server/identity/sign-ins';
import type { Env } from '@/lib/server/process/env';
import { createDiscreet, type Discreet } from '@/lib/server/process/scrub';
import { type Credentials, credentialName } from './credentials';
import { clearCookie, readCookie, type Seal, type SignIn } from './seal';

export interface Guest {
  readonly identity: Identity;
  readonly address: string | null;
  /** A browser sends a cookie with every request of any page, but a header is deliberate. */
  readonly by: 'cookie' | 'bearer' | 'proxy' | 'nothing';
  /** True when their browser speaks TLS. */
  readonly secure: boolean;
  readonly accessControl: AccessControl;
  /** `null`: they may look. */
  readonly why: Why | null;
  readonly writes: ActionsAllowed;
  readonly signIn: SignIn | null;
  /** The cookie is worthless, and the answer must remove it. */
  readonly spentCookie: boolean;
  /** The absolute end of the sign-in, in epoch milliseconds. */
  readonly endsAtMs: number | null;
  readonly idleEndsAtMs: number | null;
  /** The instant at which the backend forgets their token; `null`: never, unknown, or no token. */
  readonly tokenEndsAtMs: number | null;
}

export interface Caller extends Guest {
  readonly viewpoint: PooledCredential;
  /** Removes their token from text that is written down. */
  readonly discreet: Discreet;
  /** Seals their token for one share. `null`: they have no token. */
  readonly lend: ((seal: TokenSeal, grantId: string) => string) | null;
}

export type CallerRuntime = {
  readonly env: Env;
  readonly backend: Backend;
  readonly viewpoints: CredentialPool;
  readonly arrivals: Arrivals;
  readonly seal: Seal;
  readonly signIns: SignIns;
  readonly credentials: Credentials;
  readonly accessControl: () => Promise<AccessControl>;
  readonly limits: Limits;
};

/** `ended`: why its cookie is no longer valid. */
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

/** `null`: none. Throws `invalid` for two different ones. */
function bearerOf(headers: Headers): string | null {
  const authorization = headers.get('authorization');
  const own = headers.get('x-consul-token')?.trim() || null;
  if (authorization === null) return own;
  // Basic credentials were for a proxy in between.
  const bearer = /^bearer\s+(\S+)\s*$/i.exec(authorization)?.[1] ?? null;
  if (bearer === null && /^bearer\b/i.test(authorization)) throw invalid();
  if (bearer !== null && own !== null && bearer !== own) throw invalid();
  return bearer ?? own;
}

const lastWord = (text: string | null) => text?.trim().split(/\s+/).at(-1) ?? null;

/** Valid or not. */
export const presentedTokens = (headers: Headers): (string | null)[] => [
  lastWord(headers.get('authorization')),
  lastWord(headers.get('x-consul-token')),
];

/**
 * Tokens of a request, valid or not, because the record of a refusal must not contain them. The cookie of an ended
 * sign-in still has its token.
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
 * Each unknown token costs the backend a question, so an unconfirmed token waits after too many refusals. A confirmed
 * one never waits for the guesses of others.
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
  // An outage is no sign-out.
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
      // The end of a sign-in is news to the person; the need to sign in is not.
      why: unseen === null ? null : (ended ?? unseen),
      writes: mayAct(env, control, identity),
      signIn,
      // Other tabs may still ask with the old cookie. An answer that removes it could arrive last, and remove the new
      // one.
      spentCookie: ended !== null && ended.code !== 'signed-out-elsewhere',
      endsAtMs,
      idleEndsAtMs: signIn === null ? null : signIns.idleEndsAtMs(signIn),
      tokenEndsAtMs,
    },
  };
}

/**
 * The guest before the right to look is checked. Throws for a program's token that the backend does not know
 * (`signed-out`) or cannot check (`unavailable`), that must wait (`busy`), or is malformed (`invalid`).
 */
export async function guestOf(headers: Headers, runtime: CallerRuntime): Promise<Guest> {
  return (await resolve(headers, runtime)).guest;
}

/** Throws an `HttpProblem` of code `signed-out` (401) for a caller who may not look, and `busy`. */
export async function callerOf(headers: Headers, runtime: CallerRuntime): Promise<Caller> {
  const { guest, secret } = await resolve(headers, runtime);
  const responseHeaders: Record<string, string> = guest.spentCookie
    ? { 'set-cookie': clearCookie(guest.secure) }
    : {};
  if (guest.why !== null) throw new HttpProblem({ code: 'signed-out', why: guest.why }, 401, responseHeaders);
  const { viewpoints } = runtime;
  return {
    ...guest,
    viewpoint: secret === null ? viewpoints.own : viewpoints.of(secret, networkOf(guest.address)),
    discreet: createDiscreet([secret]),
    lend: secret === null ? null : (seal, grantId) => seal.seal(secret, grantId),
  };
}
