/** A stored value as one line among other facts, the same in the console and in embeds. */
import type { StoredValue } from '@/lib/domain/model';
import { formatBytes } from '@/lib/i18n/format/format';
import type { AllMessages } from '@/lib/i18n/messages';

type RawWords = AllMessages['subject']['raw'];

/** A longer value would push the facts beside it off the screen. */
const lineMax = 160;

/** The number of bytes that `content` stands for. */
export function shownBytes({ encoding, content }: Pick<StoredValue, 'encoding' | 'content'>): number {
  if (encoding === 'text') return new TextEncoder().encode(content).length;
  return Math.floor((content.replace(/=+$/, '').length * 3) / 4);
}

/** The beginning of a value, cut at a character or at a whole group of base64. */
function beginning({ encoding, content }: StoredValue): string {
  return encoding === 'base64' ? content.slice(0, lineMax) : [...content].slice(0, lineMax).join('');
}

/** The line, with an ellipsis where it was cut, and notes: its encoding if not text, and its share if cut. */
export function clippedValue(
  value: StoredValue,
  raw: RawWords,
): { readonly line: string; readonly notes: readonly string[] } {
  const { encoding, content, bytes, truncated } = value;
  const shown = beginning(value);
  const isCut = truncated || shown.length < content.length;
  const notes = [
    ...(encoding === 'base64' ? [raw.base64] : []),
    ...(isCut
      ? [raw.truncated(formatBytes(shownBytes({ encoding, content: shown })), formatBytes(bytes))]
      : []),
  ];
  return { line: isCut ? `${shown}…` : shown, notes };
}
