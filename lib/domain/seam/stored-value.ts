/** A stored value for people: text where it is text, base64 where it is not, and never more than a screenful. */
import type { StoredValue } from '@/lib/domain/model';
import { unfit } from '@/lib/domain/unsafe-characters';

/** Most bytes of one value that leave the server. A Consul value may have 512 KiB; a board has thousands. */
export const maxValueBytes = 4096;

// Control characters other than newline and tab, C1 included: they would act on a terminal or hide in a page.
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the purpose.
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/** The place to cut bytes so that no UTF-8 sequence is split, at most three bytes below `max`. */
function cutAt(bytes: Buffer, max: number): number {
  let end = max;
  while (end > max - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** `null` when they are not valid UTF-8. Never throws. */
export function utf8(bytes: Buffer): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/**
 * The first `maxValueBytes` bytes, cut at a character; that part decides whether the value is text. `whole`: the number
 * of stored bytes, where only the first were read. The last byte read then only shows where a character ends. `null`:
 * an empty value, which Consul does not separate from a missing one.
 */
export function storedValue(bytes: Buffer, whole = bytes.length): StoredValue | null {
  if (bytes.length === 0) return null;
  const max = Math.min(maxValueBytes, whole > bytes.length ? bytes.length - 1 : bytes.length);
  const truncated = whole > max;
  const text = utf8(truncated ? bytes.subarray(0, cutAt(bytes, max)) : bytes);
  return text !== null && !control.test(text)
    ? { encoding: 'text', content: text, bytes: whole, truncated }
    : { encoding: 'base64', content: bytes.subarray(0, max).toString('base64'), bytes: whole, truncated };
}

const unfits = new RegExp(`${unfit}+`, 'gu');

/** One line as it stands, as nearly every name is. */
const plainLine = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** A client's text as part of one line: at most `lengthMax` characters, nothing that moves or hides. */
export function oneLine(text: string, lengthMax: number): string {
  if (text.length <= lengthMax && plainLine.test(text)) return text;
  // Cut by whole characters; a long text is cut roughly first.
  return Array.from(
    text
      .slice(0, 2 * lengthMax)
      .replace(unfits, ' ')
      .trim(),
  )
    .slice(0, lengthMax)
    .join('');
}

const brace = 0x7b;

/** `null` when the value is anything else. Never throws. */
export function jsonObject(bytes: Buffer): Readonly<Record<string, unknown>> | null {
  // Most values are not JSON, and thousands are checked on every change.
  if (bytes.length === 0 || bytes.length > 65_536) return null;
  if (bytes[0] !== brace && !/^\s*\{/.test(bytes.toString('latin1', 0, 16))) return null;
  const text = utf8(bytes);
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
