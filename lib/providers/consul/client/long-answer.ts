/**
 * Collects long answers in memory that is used again.
 *
 * Memory that is new for each answer lies outside of JavaScript's heap. What the `consul` package collects piles up there,
 * and for every 64 MB of it V8 looks through the whole heap, even where hardly anything in there is new. In a large world
 * this cost more than its changes (`docs/notes/0058`). Answers above 16 MB, as the first one of a very large prefix, still
 * take new memory.
 */
import { Writable } from 'node:stream';

export interface LongAnswer {
  /** Takes the answer, piece by piece. */
  readonly stream: Writable;
  /** What has come so far. A view of the memory, to be read before the next piece and before `release`. */
  bytes(): Buffer;
  /** Gives the memory back. What comes later is dropped. `whole`: the answer came, and was no error. */
  release(whole: boolean): void;
}

/** Longer than a piece of an answer, so that none waits for the one before it. */
const queueBytes = 1024 * 1024;
const firstBytes = 64 * 1024;
const growth = 1.5;
/** Most memory that waits for answers. A buffer goes when no answer has needed its length for this time. */
const freeBytesMax = 32 * 1024 * 1024;
const freeMs = 5_000;
/** An answer of less than this part of a buffer does not need its length. */
const neededPart = 1 / 4;
/** The memory of a longer answer is not kept: it would crowd out that of all others. */
const keptBytesMax = 16 * 1024 * 1024;

interface Kept {
  readonly memory: Buffer;
  /** When an answer last needed its length, on the clock of `performance.now`. */
  neededAtMs: number;
}

const empty: Kept = { memory: Buffer.alloc(0), neededAtMs: 0 };
/** Sorted by length. */
let free: Kept[] = [];
let freeBytes = 0;
let isTimerSet = false;

/**
 * Each by its own age, and short answers do not renew that of a long buffer: a few of them each second would keep the
 * memory of one long answer forever.
 */
function dropUnneeded(): void {
  const nowMs = performance.now();
  free = free.filter(({ neededAtMs }) => nowMs - neededAtMs < freeMs);
  freeBytes = free.reduce((sum, { memory }) => sum + memory.length, 0);
  isTimerSet = false;
  if (free.length > 0) dropIn(Math.min(...free.map(({ neededAtMs }) => neededAtMs)) + freeMs - nowMs);
}

function dropIn(afterMs: number): void {
  if (!isTimerSet) setTimeout(dropUnneeded, afterMs).unref();
  isTimerSet = true;
}

/** `used`: the bytes of the answer. */
function giveBack(one: Kept, used: number): void {
  const { memory } = one;
  if (memory.length === 0 || memory.length > keptBytesMax) return;
  if (used >= memory.length * neededPart) one.neededAtMs = performance.now();
  const place = free.findIndex((other) => other.memory.length >= memory.length);
  free.splice(place === -1 ? free.length : place, 0, one);
  freeBytes += memory.length;
  // The shortest ones go: those of many short answers at a time would leave no room for that of a long one.
  while (freeBytes > freeBytesMax) freeBytes -= free.shift()?.memory.length ?? 0;
  dropIn(freeMs);
}

/** The smallest free memory of that length, or new one. */
function memoryOf(bytes: number): Kept {
  const place = free.findIndex(({ memory }) => memory.length >= bytes);
  const [known] = place === -1 ? [] : free.splice(place, 1);
  if (known !== undefined) {
    freeBytes -= known.memory.length;
    return known;
  }
  const more = Math.max(firstBytes, Math.ceil(bytes * growth));
  const length = bytes > keptBytesMax ? more : Math.min(more, keptBytesMax);
  return { memory: Buffer.allocUnsafeSlow(length), neededAtMs: performance.now() };
}

const lengthsMax = 200;
const muchBytes = 1024 * 1024;

/**
 * For the answers that one token gets; another one may see less. `name`: the same for answers to the same question. One
 * that was long takes its memory, up to 16 MB of it, at once the next time: grown piece by piece, it would go through
 * buffers of three times its length.
 */
export function longAnswers(): (name: string) => LongAnswer {
  const lengths = new Map<string, number>();
  return (name) =>
    createLongAnswer(lengths.get(name) ?? 0, (length) => {
      lengths.delete(name);
      if (length >= muchBytes) lengths.set(name, Math.min(length, keptBytesMax));
      for (const oldest of lengths.keys()) {
        if (lengths.size <= lengthsMax) return;
        lengths.delete(oldest);
      }
    });
}

/** `expected`: its likely length in bytes, 0 where it is unknown. */
function createLongAnswer(expected: number, ended: (length: number) => void): LongAnswer {
  let kept = empty;
  let length = 0;
  let released = false;
  const add = (piece: Buffer) => {
    const longer = length + piece.length;
    if (longer > kept.memory.length) {
      // An error is short, and in an outage all questions get one at a time.
      const larger = memoryOf(longer > firstBytes ? Math.max(longer, expected) : longer);
      kept.memory.copy(larger.memory, 0, 0, length);
      giveBack(kept, length);
      kept = larger;
    }
    piece.copy(kept.memory, length);
    length = longer;
  };
  const stream = new Writable({
    highWaterMark: queueBytes,
    write: (piece: Buffer, _, done) => {
      if (!released) add(piece);
      done();
    },
  });
  return {
    stream,
    bytes: () => kept.memory.subarray(0, length),
    release: (whole) => {
      if (released) return;
      released = true;
      if (whole) ended(length);
      giveBack(kept, length);
      kept = empty;
      length = 0;
    },
  };
}
