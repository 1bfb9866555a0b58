/** `/api/v1/grants`. */

import { z } from 'zod';
import { ProblemError } from '@/lib/domain/problem';
import { grantChanges, type Scope, tokenMsMax } from '@/lib/domain/sharing/grant';
import { scopeSchema } from '@/lib/domain/sharing/grant-scope';
import { HttpProblem, readJsonBody } from '@/lib/server/http/http';
import type { Caller } from '@/lib/server/identity/caller';
import type { Env } from '@/lib/server/process/env';
import type { Grants } from '@/lib/server/sharing/grants';

const bodyBytesMax = 16 * 1024;
/** A link that must last longer has no end at all. */
const endMsMax = 10 * 365 * 24 * 60 * 60 * 1000;

/** The body of `POST`. */
export const wishSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('link'),
    scope: scopeSchema,
    /** Milliseconds from now; `null`: no end. */
    lifeMs: z.number().int().min(1_000).max(endMsMax).nullable().default(null),
  }),
  z.strictObject({
    kind: z.literal('token'),
    scope: scopeSchema,
    lifeMs: z.number().int().min(1_000).max(tokenMsMax),
    /** The link behind the token, which ends with it. Required where the backend asks for credentials. */
    grant: z.uuid().nullable().default(null),
  }),
]);

/** The body of `PATCH`. */
export const changeSchema = z.strictObject({ id: z.uuid(), change: z.enum(grantChanges) });

type Needs = { readonly env: Env; readonly grants: Grants; readonly now: () => number };
const noStore = { 'cache-control': 'no-store' };

/** `by`: how the grant is shown. */
function addressOf({ view }: Scope, by: 'share' | 'token', secret: string): string {
  return `/embed/v1/${view}?${by}=${secret}`;
}

function requireEmbeds({ env }: Needs): void {
  if (env.embeds.allowed) return;
  throw new HttpProblem({ code: 'not-found', why: { code: 'embeds-off', facts: {} } }, 404);
}

async function parsed<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
  const body = schema.safeParse(await readJsonBody(request, bodyBytesMax));
  if (body.success) return body.data;
  const where = body.error.issues[0]?.path.join('.') || null;
  throw new ProblemError({ code: 'invalid', why: { code: 'request-not-understood', facts: { where } } });
}

/** `base`: the public address, where the operator configured one. */
export async function answerGrants(request: Request, caller: Caller, needs: Needs): Promise<Response> {
  requireEmbeds(needs);
  const { env, grants } = needs;
  const list = await grants.list(caller, request.signal);
  return Response.json(
    {
      whole: list.whole,
      tokens: env.embeds.keys.length > 0,
      base: env.url?.origin ?? null,
      grants: list.grants,
    },
    { headers: noStore },
  );
}

/** 201 with the secret, which no other answer contains. */
export async function answerNewGrant(request: Request, caller: Caller, needs: Needs): Promise<Response> {
  requireEmbeds(needs);
  const { env, grants, now } = needs;
  const body = await parsed(request, wishSchema);
  const base = env.url?.origin ?? null;
  if (body.kind === 'token') {
    const { token, endsAtMs } = await grants.sign(
      caller,
      { scope: body.scope, lifeMs: body.lifeMs, grantId: body.grant },
      request.signal,
    );
    const address = addressOf(body.scope, 'token', token);
    return Response.json({ token, endsAtMs, base, address }, { status: 201, headers: noStore });
  }
  const endsAtMs = body.lifeMs === null ? null : now() + body.lifeMs;
  const { grant, secret } = await grants.create(caller, { scope: body.scope, endsAtMs }, request.signal);
  const address = addressOf(grant.scope, 'share', secret);
  return Response.json({ grant, secret, base, address }, { status: 201, headers: noStore });
}

export async function answerGrantChange(request: Request, caller: Caller, needs: Needs): Promise<Response> {
  requireEmbeds(needs);
  const { id, change } = await parsed(request, changeSchema);
  const grant = await needs.grants.change(caller, id, change, request.signal);
  return Response.json({ grant }, { headers: noStore });
}
