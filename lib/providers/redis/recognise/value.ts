/** What is stored under a name, for people. */
import type { StoredValue } from '@/lib/domain/model';
import type { NameRead } from '@/lib/providers/redis/client/reading';

const lengthMax = 4_096;

const stored = (content: string, bytes: number): StoredValue => ({
  encoding: 'text',
  content: content.slice(0, lengthMax),
  bytes,
  truncated: content.length > lengthMax,
});

const isText = (bytes: Buffer): boolean => {
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) && !/\p{Cc}/u.test(text);
};

/** `null`: there is no such key. */
export function storedIn({ type, fields, text }: NameRead): StoredValue | null {
  if (type === 'hash') {
    const content = JSON.stringify(Object.fromEntries(fields), null, 2);
    return stored(content, Buffer.byteLength(content));
  }
  if (text === null) return null;
  if (isText(text)) return stored(text.toString('utf8'), text.length);
  return { encoding: 'base64', content: text.toString('base64'), bytes: text.length, truncated: false };
}
