/**
 * The cookie of who signed in: their token and the times of the sign-in, sealed so that only this server opens it
 * (JWE, `dir` with A256GCM, by `jose`). The browser keeps it where no script can read it, and the server keeps no
 * copy, so a restart or another replica with the same key signs nobody out.
 */
import { hkdfSync, randomBytes } from 'node:crypto';
import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import { z } from 'zod';

/** One sign-in of one person with one browser. Times in epoch milliseconds. */
export interface SignIn {
  /** Random; names the sign-in on the server. */
  readonly id: string;
  /** The credential itself. Goes nowhere but to the backend. */
  readonly secret: string;
  /** Who the backend said it is when they signed in. */
  readonly who: { readonly id: string; readonly name: string };
  /** When it ends whatever is done. */
  readonly endsAtMs: number;
  /** When it ends if nothing is done until then. */
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

/** A key of 256 bits out of whatever the operator wrote, for this purpose and no other. */
const keyOf = (secret: string) =>
  new Uint8Array(hkdfSync('sha256', secret, '', 'signalbox sign-in cookie, version 1', 32));

export interface Seal {
  seal(signIn: SignIn): Promise<string>;
  /** What was sealed; `null` for anything that this server did not seal, or not with a key that it still has. */
  open(text: string): Promise<SignIn | null>;
}

/** `secrets`: the first seals, all of them open, so that a key can be replaced. None: one of this process alone. */
export function createSeal(secrets: readonly string[]): Seal {
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
  return {
    seal: ({ id, secret, who, endsAtMs, idleEndsAtMs }) =>
      new EncryptJWT({ sid: id, tok: secret, who: { ...who }, end: endsAtMs, idle: idleEndsAtMs })
        .setProtectedHeader(algorithm)
        .encrypt(first),
    open: async (text) => {
      for (const key of keys) {
        const opened = await openWith(text, key);
        if (opened !== null) return opened;
      }
      return null;
    },
  };
}

/** With the prefix a browser takes it over TLS only, from this very host, so that no sibling host can plant one. */
const cookieName = (secure: boolean) => (secure ? '__Host-signalbox' : 'signalbox');

/**
 * `Lax`, not `Strict`: who follows a link from a page or a runbook to a lock is signed in there. Nothing is written by
 * a link; requests that write are refused to other sites by their own guard.
 */
function cookie(value: string, { secure, maxAgeMs }: { secure: boolean; maxAgeMs: number }): string {
  const seconds = Math.max(0, Math.ceil(maxAgeMs / 1_000));
  return `${cookieName(secure)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
}

/** The header that gives the browser its cookie. `maxAgeMs`: until the sign-in ends whatever is done. */
export const setCookie = (sealed: string, options: { secure: boolean; maxAgeMs: number }) =>
  cookie(sealed, options);

/** The header that takes it away. */
export const clearCookie = (secure: boolean) => cookie('', { secure, maxAgeMs: 0 });

/** The sealed text that the browser sent; `null`: none. */
export function readCookie(headers: Pick<Headers, 'get'>, secure: boolean): string | null {
  const name = `${cookieName(secure)}=`;
  for (const part of (headers.get('cookie') ?? '').split(';')) {
    const text = part.trim();
    if (text.startsWith(name)) return text.slice(name.length) || null;
  }
  return null;
}
