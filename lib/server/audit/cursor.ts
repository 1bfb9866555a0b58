/**
 * The cursor of the next audit page. A viewer of a part gets it sealed. A plain number would count hidden rows, and a
 * chosen one would locate the viewer's own rows among them.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { ProblemError } from '@/lib/domain/problem';

export interface Cursors {
  /** Only `person` can open it. */
  seal(seq: number, person: string): string;
  /** Throws a `ProblemError` of code `invalid` for text that was not sealed for this person. */
  open(text: string, person: string): number;
}

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/** `secret`: shared by all replicas; `null`: a random one for this process. */
export function createCursors(secret: string | null): Cursors {
  const key = Buffer.from(hkdfSync('sha256', secret ?? randomBytes(32), '', 'signalbox audit cursor', 32));
  return {
    seal: (seq, person) => {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(person));
      // The length would reveal the number of digits.
      const sealed = Buffer.concat([cipher.update(String(seq).padStart(16, '0')), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
    },
    open: (text, person) => {
      try {
        const all = Buffer.from(text, 'base64url');
        const decipher = createDecipheriv(algorithm, key, all.subarray(0, ivBytes), {
          authTagLength: tagBytes,
        });
        decipher.setAAD(Buffer.from(person)).setAuthTag(all.subarray(ivBytes, ivBytes + tagBytes));
        const plain = Buffer.concat([decipher.update(all.subarray(ivBytes + tagBytes)), decipher.final()]);
        return Number(plain.toString());
      } catch {
        throw badCursor();
      }
    },
  };
}

const badCursor = () =>
  new ProblemError({ code: 'invalid', why: { code: 'request-not-understood', facts: { where: 'below' } } });

/** A plain `seq`. Throws a `ProblemError` of code `invalid`. */
export function plainCursor(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw badCursor();
  return Number(text);
}
