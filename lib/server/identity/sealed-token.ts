/** Seals the token of a share's maker for the store (AES-256-GCM), bound to its share. The key is not in the store. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

export interface TokenSeal {
  seal(token: string, grantId: string): string;
  /** `null`: not sealed for this share, changed, or sealed with a key that this server does not have. */
  open(sealed: string, grantId: string): string | null;
}

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/** The cookie has another key from the same secret. */
const keyOf = (secret: string) =>
  new Uint8Array(hkdfSync('sha256', secret, '', 'signalbox token of a share, version 1', 32));

/** The first secret seals, and all open. None: a random key for this process. */
export function createTokenSeal(secrets: readonly string[]): TokenSeal {
  const keys = (secrets.length > 0 ? secrets : [randomBytes(32).toString('hex')]).map(keyOf);
  const [first = keyOf('')] = keys;
  const openWith = (bytes: Buffer, grantId: string, key: Uint8Array): string | null => {
    const iv = bytes.subarray(0, ivBytes);
    const tag = bytes.subarray(ivBytes, ivBytes + tagBytes);
    const decipher = createDecipheriv(algorithm, key, iv, { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(grantId)).setAuthTag(tag);
    try {
      return decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      return null;
    }
  };
  return {
    seal: (token, grantId) => {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, first, iv, { authTagLength: tagBytes });
      cipher.setAAD(Buffer.from(grantId));
      const sealed = Buffer.concat([cipher.update(token, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
    },
    open: (sealed, grantId) => {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length <= ivBytes + tagBytes) return null;
      for (const key of keys) {
        const token = openWith(bytes, grantId, key);
        if (token !== null) return token;
      }
      return null;
    },
  };
}
