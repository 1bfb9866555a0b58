/**
 * Where a page of the audit goes on. Who sees all rows is told the place itself. Who sees a part is told it sealed, and
 * a plain number is not taken from them: a number that moves would count the rows that they may not see, and one that
 * they choose would let them search for the place of each of their own.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { ProblemError } from '@/lib/domain/problem';

export interface Cursors {
  /** Of the place below which to go on; `person` alone can open it. */
  seal(seq: number, person: string): string;
  /** Throws a `ProblemError` of code `invalid` for what was not sealed for this person. */
  open(text: string, person: string): number;
}

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/** `secret`: shared by all replicas; `null` makes one that ends with this process. */
export function createCursors(secret: string | null): Cursors {
  const key = Buffer.from(hkdfSync('sha256', secret ?? randomBytes(32), '', 'signalbox audit cursor', 32));
  return {
    seal: (seq, person) => {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(person));
      // Padded, or the length would tell how many digits it has.
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
        // Whatever was wrong with it is nobody's business but its maker's.
        throw badCursor();
      }
    },
  };
}

const badCursor = () =>
  new ProblemError({ code: 'invalid', why: { code: 'request-not-understood', facts: { where: 'below' } } });

/** A place in plain figures. Throws a `ProblemError` of code `invalid`. */
export function plainCursor(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw badCursor();
  return Number(text);
}
