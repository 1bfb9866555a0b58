/** The stored value of a name, for the screen. */
import type { StoredValue } from '@/lib/domain/model';
import { storedValue } from '@/lib/domain/seam/stored-value';
import type { NameRead } from '@/lib/providers/redis/client/reading';

/** `null`: the key is missing or empty. */
export function storedIn({ type, fields, cut, text, textBytes }: NameRead): StoredValue | null {
  if (type !== 'hash') return text === null ? null : storedValue(text, textBytes);
  const value = storedValue(Buffer.from(JSON.stringify(Object.fromEntries(fields), null, 2)));
  return value !== null && cut ? { ...value, truncated: true } : value;
}
