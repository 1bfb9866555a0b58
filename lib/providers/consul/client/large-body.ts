/** Reads answers that take long to parse piece by piece. */
import type { Steps } from '@/lib/domain/sliced-work';
import { parseExact, readJson } from './wire';

/** Parsed between two pauses, in some milliseconds. */
const parsedBytes = 1024 * 1024;

export class LargeBody {
  constructor(readonly bytes: Buffer) {}
}

/** Decodes every answer, and leaves large ones to `readingJson`. */
export const readBody = (body: Buffer): unknown =>
  body.length > parsedBytes ? new LargeBody(body) : readJson(body);

const comma = 0x2c;
const isSpace = (byte: number | undefined) =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** The first object's brace and first member name as written; `null` if the body is no list of objects. */
function beginningOf(body: Buffer): { readonly at: number; readonly text: Buffer } | null {
  const head = /^\s*\[\s*(\{\s*"\w+")/.exec(body.toString('latin1', 0, 256));
  if (head === null) return null;
  const [all, text = ''] = head;
  return { at: all.length - text.length, text: Buffer.from(text, 'latin1') };
}

/**
 * As `readJson`, for a list of objects piece by piece. A piece ends before an object that begins like the first one. No
 * JSON text looks like that, but a nested object may: then the piece is no valid JSON, and the body is read at once.
 */
export function* readingJson({ bytes }: LargeBody): Steps<unknown> {
  const beginning = beginningOf(bytes);
  if (beginning === null) return readJson(bytes);
  const items: unknown[] = [];
  let { at } = beginning;
  try {
    for (;;) {
      const next = bytes.indexOf(beginning.text, at + parsedBytes);
      let end = next === -1 ? bytes.length : next - 1;
      while (next !== -1 && isSpace(bytes[end])) end -= 1;
      if (next !== -1 && bytes[end] !== comma) return readJson(bytes);
      const text = bytes.toString('utf8', at, end);
      for (const item of parseExact(`[${text}${next === -1 ? '' : ']'}`) as unknown[]) items.push(item);
      if (next === -1) return items;
      at = next;
      yield Number.POSITIVE_INFINITY;
    }
  } catch (error) {
    if (error instanceof SyntaxError) return readJson(bytes);
    throw error;
  }
}
