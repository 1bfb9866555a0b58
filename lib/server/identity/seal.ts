/**
 * The sign-in cookie: the token and the times of the sign-in, sealed (JWE, `dir` with A256GCM, by `jose`). Scripts
 * cannot read it, and the server needs no copy, so a restart or another replica with the same key signs no person out.
 */
import { hkdfSync, randomBytes } from 'node:crypto';
import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import { z } from 'zod';

/** Times in epoch milliseconds. */
export interface SignIn {
  /** Random; names the sign-in on the server. */
  readonly id: string;
  readonly secret: string;
  /** The person in the backend, at sign-in. */
  readonly who: { readonly id: string; readonly name: string };
  /** The absolute end. */
  readonly endsAtMs: number;
  /** The end without further activity. */
  readonly idleEndsAtMs: number;
}

const payloadSchema = z.object({
  sid: z.string().min(16),
  tok: z.string().min(1),
  who: z.object({ id: z.string(), name: z.string() }),
  end: z.number(),
  idle: z.number(),
});

const algorithm = { alg: 'dir', enc: 'A256GCM' } as const;

/** A 256-bit key for this purpose only. */
const keyOf = (secret: string) =>
  new Uint8Array(hkdfSync('sha256', secret, '', 'signalbox sign-in cookie, version 1', 32));

export interface Seal {
  seal(signIn: SignIn): Promise<string>;
  /** `null` for text that this server did not seal, or sealed with a key that it no longer has. */
  open(text: string): Promise<SignIn | null>;
}

/**
 * One person's pages send one cookie, after an outage all at once. Opening it is the slowest part of a stream's start,
 * so opened cookies are kept for a while.
 */
const cacheLimits = { forMs: 10_000, max: 1_000 };

/** The first secret seals and all open, so that a key can be replaced. None: a random key for this process. */
export function createSeal(secrets: readonly string[], now: () => number = Date.now): Seal {
  const keys = (secrets.length > 0 ? secrets : [randomBytes(32).toString('hex')]).map(keyOf);
  const [first = keyOf('')] = keys;
  const openWith = async (text: string, key: Uint8Array): Promise<SignIn | null> => {
    try {
      const { payload } = await jwtDecrypt(text, key, {
        keyManagementAlgorithms: [algorithm.alg],
        contentEncryptionAlgorithms: [algorithm.enc],
      });
      const { sid, tok, who, end, idle } = payloadSchema.parse(payload);
      return { id: sid, secret: tok, who, endsAtMs: end, idleEndsAtMs: idle };
    } catch (error) {
      if (error instanceof errors.JOSEError || error instanceof z.ZodError) return null;
      throw error;
    }
  };
  const openAnew = async (text: string): Promise<SignIn | null> => {
    for (const key of keys) {
      const opened = await openWith(text, key);
      if (opened !== null) return opened;
    }
    return null;
  };
  /** Sign-ins by cookie, oldest first. */
  const known = new Map<string, { readonly opened: Promise<SignIn | null>; readonly atMs: number }>();
  const forgetOld = () => {
    for (const [text, { atMs }] of known) {
      if (known.size <= cacheLimits.max && Math.abs(now() - atMs) < cacheLimits.forMs) break;
      known.delete(text);
    }
  };
  return {
    seal: ({ id, secret, who, endsAtMs, idleEndsAtMs }) =>
      new EncryptJWT({ sid: id, tok: secret, who: { ...who }, end: endsAtMs, idle: idleEndsAtMs })
        .setProtectedHeader(algorithm)
        .encrypt(first),
    open: (text) => {
      forgetOld();
      const before = known.get(text);
      if (before !== undefined) return before.opened;
      const opened = openAnew(text);
      const entry = { opened, atMs: now() };
      known.set(text, entry);
      const forget = () => known.get(text) === entry && known.delete(text);
      // Text that is no cookie of ours may be anything, and long.
      opened.then((signIn) => signIn === null && forget(), forget);
      return opened;
    },
  };
}

/** A browser accepts a `__Host-` cookie over TLS from this host only, so no sibling host can plant one. */
const cookieName = (secure: boolean) => (secure ? '__Host-signalbox' : 'signalbox');

/**
 * `Lax`: a person who follows a link to a lock arrives signed in. A link writes nothing, and `requireSameOrigin`
 * refuses other sites' writes.
 */
function cookie(value: string, { secure, maxAgeMs }: { secure: boolean; maxAgeMs: number }): string {
  const seconds = Math.max(0, Math.ceil(maxAgeMs / 1_000));
  return `${cookieName(secure)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
}

/** `maxAgeMs`: until the absolute end of the sign-in. */
export const setCookie = (sealed: string, options: { secure: boolean; maxAgeMs: number }) =>
  cookie(sealed, options);

export const clearCookie = (secure: boolean) => cookie('', { secure, maxAgeMs: 0 });

export function readCookie(headers: Pick<Headers, 'get'>, secure: boolean): string | null {
  const name = `${cookieName(secure)}=`;
  for (const part of (headers.get('cookie') ?? '').split(';')) {
    const text = part.trim();
    if (text.startsWith(name)) return text.slice(name.length) || null;
  }
  return null;
}
