/**
 * Signed tokens of embeds: a JWT that holds its own scope. A portal that has the key signs them itself; the console
 * signs one for a person who may. They are kept nowhere, so they cannot be taken back one by one: they end soon, all of a key
 * end with the key, and those that name a share link (`grant`) with that. Where the backend asks for credentials each must name one.
 *
 * Two keys: the first signs, both verify, each under its own name (`kid`). To rotate, put the new key first, wait for
 * the longest life of a token, take the old one away.
 */
import { createHash, randomUUID } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import { type Scope, tokenMsMax } from '@/lib/domain/sharing/grant';
import { scopeSchema } from '@/lib/domain/sharing/grant-scope';
import type { Env } from '@/lib/server/process/env';

export const tokenAudience = 'signalbox-embed';
/** Pinned: what a token says of its own algorithm is checked against this and never obeyed. */
const algorithm = 'HS256';
/** How far two clocks may be apart. */
const toleranceS = 5;
/** Longer ones are no tokens of ours; nothing is computed for them. */
const lengthMax = 8_192;
const grantSchema = z.uuid().nullable();

type Keys = Env['embeds']['keys'];

/**
 * Three parts, and a signature of 32 bytes in its one spelling. Decoders also take padding, and any bits after the last byte:
 * each such spelling would be a grant of its own, with streams of its own.
 */
function isAsSigned(token: string): boolean {
  const signature = /^[\w-]+\.[\w-]+\.([\w-]{43})$/.exec(token)?.[1];
  return signature !== undefined && Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

export interface OpenedToken {
  /** A digest of the token: what its streams are counted by. Never the token itself. */
  readonly id: string;
  readonly scope: Scope;
  readonly endsAtMs: number;
  /** The share link behind it. */
  readonly grantId: string | null;
}

/** Signs with the first key. `null` when there is none. `lifeMs`: at most `tokenMsMax`. */
export async function signToken(
  keys: Keys,
  {
    scope,
    lifeMs,
    nowMs,
    grantId = null,
  }: { scope: Scope; lifeMs: number; nowMs: number; grantId?: string | null },
): Promise<{ readonly token: string; readonly id: string; readonly endsAtMs: number } | null> {
  const [key] = keys;
  if (key === undefined) return null;
  const iat = Math.floor(nowMs / 1000);
  const exp = iat + Math.floor(Math.min(lifeMs, tokenMsMax) / 1000);
  const token = await new SignJWT({ scope, ...(grantId === null ? {} : { grant: grantId }) })
    .setProtectedHeader({ alg: algorithm, kid: key.id, typ: 'JWT' })
    .setAudience(tokenAudience)
    .setJti(randomUUID())
    .setIssuedAt(iat)
    .setExpirationTime(exp)
    .sign(new TextEncoder().encode(key.secret));
  return { token, id: idOf(token), endsAtMs: exp * 1000 };
}

/**
 * What a token grants, or `null` for one that grants nothing: not ours, changed, ended, without an end, with one too
 * far away, for somebody else, with another algorithm or without a scope. Which of these is nobody's business.
 */
export async function openToken(keys: Keys, token: string, nowMs: number): Promise<OpenedToken | null> {
  if (keys.length === 0 || token.length > lengthMax || !isAsSigned(token)) return null;
  try {
    const { payload } = await jwtVerify(
      token,
      ({ kid }) => {
        const key = keys.find((one) => one.id === kid);
        if (key === undefined) throw new errors.JWKSNoMatchingKey();
        return new TextEncoder().encode(key.secret);
      },
      {
        algorithms: [algorithm],
        audience: tokenAudience,
        requiredClaims: ['exp', 'iat', 'scope'],
        maxTokenAge: tokenMsMax / 1000,
        clockTolerance: toleranceS,
        currentDate: new Date(nowMs),
      },
    );
    const { exp = 0, iat = 0 } = payload;
    const scope = scopeSchema.safeParse(payload.scope);
    const grantId = grantSchema.safeParse(payload.grant ?? null);
    if (!scope.success || !grantId.success || (exp - iat) * 1000 > tokenMsMax) return null;
    return { id: idOf(token), scope: scope.data, endsAtMs: exp * 1000, grantId: grantId.data };
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}

const idOf = (token: string) => createHash('sha256').update(token).digest('hex').slice(0, 32);
