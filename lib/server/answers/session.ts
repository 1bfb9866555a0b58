/**
 * `/api/v1/session`: names the caller, signs in, prolongs the sign-in, and signs out. The token comes in the body of
 * one request and leaves in the sealed cookie; no log line, address or page ever contains it.
 */

import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { AuditEntry } from '@/lib/domain/actions/audit';
import { isProblem, ProblemError } from '@/lib/domain/problem';
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
/** By then the browser has its new cookie, so its other pages ask with that one once they are signed out. */
const replacedMs = 1_000;
export const bodySchema = z.strictObject({ token: z.string().trim().min(1).max(1_024) });

export type SessionRuntime = CallerRuntime & {
  readonly limits: Limits;
  readonly audit: Audit;
  readonly log: Log;
  readonly now: () => number;
};

/** The shape of every answer. */
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
 * Writes one row before the answer. A failure does not stop a sign-in: its actions are refused without records of their
 * own.
 */
async function record(
  { audit, log }: SessionRuntime,
  entry: Pick<AuditEntry, 'kind' | 'thread' | 'who' | 'address'> & { readonly detail?: AuditEntry['detail'] },
): Promise<void> {
  await audit
    .append({ action: null, subjects: [], reason: '', detail: {}, ...entry })
    .catch((error: unknown) => log.error({ row: entry.kind, ...errorFields(error) }, 'not on record'));
}

/** `GET`: for any caller. Removes a worthless cookie. */
export async function answerSession(request: Request, runtime: SessionRuntime): Promise<Response> {
  const guest = await guestOf(request.headers, runtime);
  await runtime.limits.take('read', guest);
  return answer(guest, guest.spentCookie ? clearCookie(guest.secure) : null);
}

/** `POST {"token"}`: signs in. Signs out the browser's previous sign-in. */
export async function answerSignIn(request: Request, runtime: SessionRuntime): Promise<Response> {
  const { env, limits, signIns, backend, credentials, log, now } = runtime;
  const before = await guestOf(request.headers, runtime);
  await limits.take('sign-in', before);
  const body = bodySchema.safeParse(await readJsonBody(request, bodyBytesMax));
  if (!body.success)
    throw new ProblemError({
      code: 'invalid',
      why: { code: 'request-not-understood', facts: { where: 'token' } },
    });
  const who = await credentials.ask(body.data.token);
  const { address } = before;
  if (isProblem(who)) {
    if (who.code === 'signed-out') await limits.refused(before);
    log.info({ address, outcome: who.code }, 'sign-in');
    const thread = randomBytes(16).toString('base64url');
    await record(runtime, {
      kind: 'sign-in-refused',
      thread,
      who: before.identity,
      address,
      detail: { code: who.code },
    });
    throw new ProblemError(who);
  }
  const { id, name, endsAtMs } = who;
  const { idleMs, longestMs } = env.signIn;
  const end = Math.min(now() + longestMs, endsAtMs ?? Number.POSITIVE_INFINITY);
  const signIn = signIns.touch({
    id: randomBytes(16).toString('base64url'),
    secret: body.data.token,
    who: { id, name },
    endsAtMs: end,
    idleEndsAtMs: Math.min(end, now() + idleMs),
  });
  const replaced = before.signIn;
  if (replaced !== null) setTimeout(() => void signIns.end(replaced), replacedMs).unref();
  log.info({ address, accessor: id, outcome: 'signed-in' }, 'sign-in');
  const identity = { kind: 'token', id, name } as const;
  await record(runtime, { kind: 'sign-in', thread: signIn.id, who: identity, address });
  const accessControl = 'on' as const;
  const guest: Guest = {
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
    tokenEndsAtMs: endsAtMs,
  };
  return answer(guest, await sealed(signIn, guest, runtime));
}

/** `PUT`: records activity, which moves the idle end. */
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

/** `DELETE`. A second sign-out is no error. */
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
