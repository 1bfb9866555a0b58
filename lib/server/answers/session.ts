/**
 * `/api/v1/session`: names the caller, signs in, prolongs the sign-in, and signs out. The token comes in one request's
 * body and leaves in the sealed cookie. No log line, address or page ever contains it.
 */

import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { AuditEntry } from '@/lib/domain/actions/audit';
import type { Identity } from '@/lib/domain/identity';
import { isProblem, type Problem, ProblemError } from '@/lib/domain/problem';
import type { SignedIn } from '@/lib/domain/seam/backend';
import type { Visitor } from '@/lib/domain/visitor';
import type { Audit } from '@/lib/server/audit/audit';
import { mayAct, maySee } from '@/lib/server/http/access';
import { spokenProblem } from '@/lib/server/http/english';
import { readJsonBody } from '@/lib/server/http/http';
import type { Limits } from '@/lib/server/http/limits';
import { type CallerRuntime, type Guest, guestOf } from '@/lib/server/identity/caller';
import { requireSamePerson } from '@/lib/server/identity/person';
import { clearCookie, type SignIn, setCookie } from '@/lib/server/identity/seal';
import { errorFields, type Log } from '@/lib/server/process/log';

const bodyBytesMax = 4 * 1024;
/** After this time the browser has its new cookie, and its other pages use that one when the old sign-in ends. */
const replacedMs = 1_000;
export const bodySchema = z.strictObject({ token: z.string().trim().min(1).max(1_024) });

export type SessionRuntime = CallerRuntime & {
  readonly limits: Limits;
  readonly audit: Audit;
  readonly log: Log;
  readonly now: () => number;
};

/** The body of every answer: the caller, without the token. */
export function visitorOf(guest: Guest): Visitor {
  const { identity, accessControl, why, writes, endsAtMs, idleEndsAtMs, tokenEndsAtMs } = guest;
  const reason = why === null ? null : (spokenProblem({ code: 'signed-out', why }).why ?? null);
  return {
    identity,
    accessControl,
    maySee: why === null,
    why: reason,
    writes,
    endsAtMs,
    idleEndsAtMs,
    tokenEndsAtMs,
  };
}

/** `GET`: names the caller, also one who is not signed in. Removes a worthless cookie. */
export async function answerSession(request: Request, runtime: SessionRuntime): Promise<Response> {
  const guest = await guestOf(request.headers, runtime);
  await runtime.limits.take('read', guest);
  return answer(guest, guest.spentCookie ? clearCookie(guest.secure) : null);
}

/** `POST {"token"}`: signs in, and ends the browser's previous sign-in. Throws the backend's refusal of the token. */
export async function answerSignIn(request: Request, runtime: SessionRuntime): Promise<Response> {
  const { limits, signIns, credentials, log } = runtime;
  const before = await guestOf(request.headers, runtime);
  await limits.take('sign-in', before);
  const body = bodySchema.safeParse(await readJsonBody(request, bodyBytesMax));
  if (!body.success)
    throw new ProblemError({
      code: 'invalid',
      why: { code: 'request-not-understood', facts: { where: 'token' } },
    });
  const owner = await credentials.ask(body.data.token);
  if (isProblem(owner)) {
    await recordRefusal(owner, before, runtime);
    throw new ProblemError(owner);
  }
  const signIn = signIns.touch(newSignIn(body.data.token, owner, runtime));
  const replaced = before.signIn;
  if (replaced !== null) setTimeout(() => void signIns.end(replaced), replacedMs).unref();
  const { address } = before;
  log.info({ address, accessor: owner.id, outcome: 'signed-in' }, 'sign-in');
  const identity = { kind: 'token', id: owner.id, name: owner.name } as const;
  await record(runtime, { kind: 'sign-in', thread: signIn.id, who: identity, address });
  const guest = guestAfterSignIn(before, { identity, signIn, tokenEndsAtMs: owner.endsAtMs }, runtime);
  return answer(guest, await sealed(signIn, guest, runtime));
}

/** `PUT`: records activity, which moves the idle end. Changes nothing for a caller without a sign-in. */
export async function answerTouch(request: Request, runtime: SessionRuntime): Promise<Response> {
  const guest = await guestOf(request.headers, runtime);
  await runtime.limits.take('read', guest);
  if (guest.signIn === null) return answer(guest, guest.spentCookie ? clearCookie(guest.secure) : null);
  // A page of an earlier person must not prolong the present sign-in.
  requireSamePerson(request, guest.identity);
  const signIn = runtime.signIns.touch(guest.signIn);
  const touched = { ...guest, signIn, idleEndsAtMs: signIn.idleEndsAtMs };
  return answer(touched, await sealed(signIn, touched, runtime));
}

/** `DELETE`: signs out. A second sign-out is no error. */
export async function answerSignOut(request: Request, runtime: SessionRuntime): Promise<Response> {
  const guest = await guestOf(request.headers, runtime);
  await runtime.limits.take('read', guest);
  if (guest.signIn !== null) {
    const { identity, address, signIn } = guest;
    const stored = runtime.signIns.end(signIn);
    runtime.log.info({ address, accessor: signIn.who.id }, 'sign-out');
    const recorded = record(runtime, { kind: 'sign-out', thread: signIn.id, who: identity, address });
    await Promise.all([stored, recorded]);
  }
  return new Response(null, {
    status: 204,
    headers: { 'cache-control': 'no-store', 'set-cookie': clearCookie(guest.secure) },
  });
}

/** A sign-in that lasts as long as the settings and the token allow. */
function newSignIn(secret: string, { id, name, endsAtMs }: SignedIn, { env, now }: SessionRuntime): SignIn {
  const { idleMs, longestMs } = env.signIn;
  const end = Math.min(now() + longestMs, endsAtMs ?? Number.POSITIVE_INFINITY);
  return {
    id: randomBytes(16).toString('base64url'),
    secret,
    who: { id, name },
    endsAtMs: end,
    idleEndsAtMs: Math.min(end, now() + idleMs),
  };
}

/** Counts, logs and records a refused token. */
async function recordRefusal({ code }: Problem, before: Guest, runtime: SessionRuntime): Promise<void> {
  const { address, identity } = before;
  if (code === 'signed-out') await runtime.limits.refused(before);
  runtime.log.info({ address, outcome: code }, 'sign-in');
  const thread = randomBytes(16).toString('base64url');
  await record(runtime, { kind: 'sign-in-refused', thread, who: identity, address, detail: { code } });
}

function guestAfterSignIn(
  before: Guest,
  { identity, signIn, tokenEndsAtMs }: Pick<Guest, 'tokenEndsAtMs'> & { identity: Identity; signIn: SignIn },
  { env, backend }: SessionRuntime,
): Guest {
  const accessControl = 'on' as const;
  return {
    ...before,
    identity,
    by: 'cookie',
    accessControl,
    why: maySee(env, accessControl, identity, backend.hasOwnCredential),
    writes: mayAct(env, accessControl, identity),
    signIn,
    spentCookie: false,
    endsAtMs: signIn.endsAtMs,
    idleEndsAtMs: signIn.idleEndsAtMs,
    tokenEndsAtMs,
  };
}

function answer(guest: Guest, cookie: string | null = null): Response {
  const headers = new Headers({ 'cache-control': 'no-store' });
  if (cookie !== null) headers.append('set-cookie', cookie);
  return Response.json(visitorOf(guest), { headers });
}

async function sealed(signIn: SignIn, guest: Guest, { seal, now }: SessionRuntime): Promise<string> {
  return setCookie(await seal.seal(signIn), {
    secure: guest.secure,
    maxAgeMs: signIn.endsAtMs - now(),
  });
}

/**
 * Writes one row of the audit before the answer. A failure does not stop the sign-in, because no action is possible
 * without a row of its own.
 */
async function record(
  { audit, log }: SessionRuntime,
  entry: Pick<AuditEntry, 'kind' | 'thread' | 'who' | 'address'> & { readonly detail?: AuditEntry['detail'] },
): Promise<void> {
  await audit
    .append({ action: null, subjects: [], reason: '', detail: {}, ...entry })
    .catch((error: unknown) => log.error({ row: entry.kind, ...errorFields(error) }, 'not on record'));
}
