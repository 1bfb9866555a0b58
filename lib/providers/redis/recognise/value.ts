/** What is stored under a name, for people. */
import type { StoredValue } from '@/lib/domain/model';
import { storedValue } from '@/lib/domain/seam/stored-value';
import type { NameRead } from '@/lib/providers/redis/client/reading';

/** `null`: there is no such key, or it is empty. */
export function storedIn({ type, fields, cut, text, textBytes }: NameRead): StoredValue | null {
  if (type !== 'hash') return text === null ? null : storedValue(text, textBytes);
  const value = storedValue(Buffer.from(JSON.stringify(Object.fromEntries(fields), null, 2)));
  return value !== null && cut ? { ...value, truncated: true } : value;
}
