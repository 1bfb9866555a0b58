/** Parses long answers piece by piece. */
import { hash } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { runInSlices, type Steps } from '@/lib/domain/sliced-work';
import { parseExact, readJson } from './wire';

/** The bytes parsed between two pauses, in some milliseconds. */
const parsedBytes = 1024 * 1024;

export class LargeBody {
  constructor(readonly bytes: Buffer) {}
}

/** Beyond this length, a comparison with the last answer is faster than parsing. */
const unreadBytesMin = 32 * 1024;

/** Decodes every answer, and leaves large ones to `readingJson`. */
export const readBody = (body: Buffer): unknown =>
  body.length > unreadBytesMin ? new LargeBody(body) : readJson(body);

const comma = 0x2c;
export const isSpace = (byte: number | undefined) =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** The first object's brace and first member name, as written; `null` if the body is no list of objects. */
function beginningOf(body: Buffer): { readonly at: number; readonly text: Buffer } | null {
  const head = /^\s*\[\s*(\{\s*"\w+")/.exec(body.toString('latin1', 0, 256));
  if (head === null) return null;
  const [all, text = ''] = head;
  return { at: all.length - text.length, text: Buffer.from(text, 'latin1') };
}

/**
 * As `readJson`, but reads a list of objects piece by piece. A piece ends before an object that begins like the first
 * one. A nested object may begin so, too. Then the piece is no valid JSON, and the body is read at once.
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

/** The digest of the answer that each list was read from. */
const digests = new WeakMap<readonly unknown[], string>();

export function noteSame(read: readonly unknown[], retained: readonly unknown[]): void {
  const digest = digests.get(read);
  if (digest !== undefined) digests.set(retained, digest);
}

/**
 * Reads a list from an answer of any size. Gives `known` for the same bytes as before, because a wait without news ends
 * with the full answer.
 */
export async function readList<T>(
  body: unknown,
  known: readonly T[],
  parse: (body: unknown) => readonly T[] | Promise<readonly T[]>,
): Promise<readonly T[]> {
  if (!(body instanceof LargeBody)) return parse(body);
  const digest = hash('sha256', body.bytes, 'base64');
  if (digests.get(known) === digest) return known;
  const list = await parse(await runInSlices(readingJson(body), yieldToEventLoop));
  digests.set(list, digest);
  return list;
}

/** As `readList`, for repeated reads of one list. */
export function readingLists<T>(parse: (body: unknown) => readonly T[]) {
  let known: readonly T[] = [];
  return async (body: unknown): Promise<readonly T[]> => {
    known = await readList(body, known, parse);
    return known;
  };
}
