/**
 * Signed tokens of embeds: a JWT that contains its own scope. A portal with the key signs its own; the console signs
 * for an authorised person. Tokens are not stored, so a single one cannot be revoked. It ends soon, with its key, or
 * with the share link that it names (`grant`), which it must where the backend asks for credentials. With two keys, the
 * first signs and both verify, by name (`kid`).
 */
import { createHash, randomUUID } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import { type Scope, tokenMsMax } from '@/lib/domain/sharing/grant';
import { scopeSchema } from '@/lib/domain/sharing/grant-scope';
import type { Env } from '@/lib/server/process/env';

export const tokenAudience = 'signalbox-embed';
/** A token's own `alg` is checked against this and never obeyed. */
const algorithm = 'HS256';
/** Tolerated clock difference. */
const toleranceS = 5;
/** Refused before any computing. */
const lengthMax = 8_192;
const grantSchema = z.uuid().nullable();

type Keys = Env['embeds']['keys'];

/**
 * The one canonical spelling of a 32-byte signature. Decoders also accept padding and stray bits after the last byte:
 * each spelling would count as a grant with its own streams.
 */
function isAsSigned(token: string): boolean {
  const signature = /^[\w-]+\.[\w-]+\.([\w-]{43})$/.exec(token)?.[1];
  return signature !== undefined && Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

export interface OpenedToken {
  /** A digest; streams are counted by it. */
  readonly id: string;
  readonly scope: Scope;
  readonly endsAtMs: number;
  readonly grantId: string | null;
}

/** `null` without a key. `lifeMs` is capped at `tokenMsMax`. */
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

/** `null` for a token that grants nothing; a caller learns no reason. */
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
