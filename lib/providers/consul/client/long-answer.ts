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
  /** Gives the memory back. What comes later is dropped. */
  release(): void;
}

/** Longer than a piece of an answer, so that none waits for the one before it. */
const queueBytes = 1024 * 1024;
const firstBytes = 64 * 1024;
const growth = 1.5;
/** Most memory that waits for answers. Each piece of it goes when no answer has used it for this time. */
const freeBytesMax = 32 * 1024 * 1024;
const freeMs = 5_000;
/** The memory of a longer answer is not kept: it would crowd out that of all others. */
const keptBytesMax = 16 * 1024 * 1024;

const nothing = Buffer.alloc(0);
/** Sorted by length. */
let free: { readonly memory: Buffer; readonly sinceMs: number }[] = [];
let freeBytes = 0;
let isSwept = false;

/** Each by its own age: a few short answers a second would keep the memory of one long answer forever. */
function dropUnused(): void {
  const nowMs = performance.now();
  free = free.filter(({ sinceMs }) => nowMs - sinceMs < freeMs);
  freeBytes = free.reduce((sum, { memory }) => sum + memory.length, 0);
  const oldestMs = Math.min(...free.map(({ sinceMs }) => sinceMs));
  isSwept = free.length > 0;
  if (isSwept) setTimeout(dropUnused, oldestMs + freeMs - nowMs).unref();
}

function giveBack(memory: Buffer): void {
  if (memory.length === 0 || memory.length > keptBytesMax) return;
  const place = free.findIndex((one) => one.memory.length >= memory.length);
  free.splice(place === -1 ? free.length : place, 0, { memory, sinceMs: performance.now() });
  freeBytes += memory.length;
  // The shortest ones go: those of many short answers at a time would leave no room for that of a long one.
  while (freeBytes > freeBytesMax) freeBytes -= free.shift()?.memory.length ?? 0;
  if (!isSwept) setTimeout(dropUnused, freeMs).unref();
  isSwept = true;
}

/** The smallest free memory of that length, or new one. */
function memoryOf(bytes: number): Buffer {
  const place = free.findIndex(({ memory }) => memory.length >= bytes);
  if (place === -1) {
    const more = Math.max(firstBytes, Math.ceil(bytes * growth));
    return Buffer.allocUnsafeSlow(bytes > keptBytesMax ? more : Math.min(more, keptBytesMax));
  }
  const [known] = free.splice(place, 1);
  freeBytes -= known?.memory.length ?? 0;
  return known?.memory ?? nothing;
}

export function createLongAnswer(): LongAnswer {
  let memory: Buffer = nothing;
  let length = 0;
  let released = false;
  const add = (piece: Buffer) => {
    const longer = length + piece.length;
    if (longer > memory.length) {
      const larger = memoryOf(longer);
      memory.copy(larger, 0, 0, length);
      giveBack(memory);
      memory = larger;
    }
    piece.copy(memory, length);
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
    bytes: () => memory.subarray(0, length),
    release: () => {
      if (released) return;
      released = true;
      giveBack(memory);
      memory = nothing;
      length = 0;
    },
  };
}
