import { Writable } from 'node:stream';

/** Longer than a piece of an answer, so that none waits for the one before it. */
const queueBytes = 1024 * 1024;
/** Memory grows by this factor, and goes where an answer takes less than a quarter of it. */
const growth = 1.5;
const usedMin = 0.25;

/**
 * Collects a long answer in the memory of the one before it. Memory that is new for each answer lies outside of
 * JavaScript's heap, and for every 64 MB of it V8 looks through the whole heap, even where hardly anything in there is
 * new. In a large world this cost more than its changes (`docs/notes/0058`).
 */
export class ReusedBody {
  private memory = Buffer.alloc(0);
  private length = 0;
  private latest: Writable | null = null;

  /**
   * Begins the next answer. `stream` takes it. `bytes` gives what has come of it: a view of the memory, to be read before
   * another answer begins; `null` after that.
   */
  next(): { readonly stream: Writable; readonly bytes: () => Buffer | null } {
    if (this.length < this.memory.length * usedMin) this.memory = Buffer.alloc(0);
    this.length = 0;
    const isLatest = () => this.latest === stream;
    const stream = new Writable({
      highWaterMark: queueBytes,
      write: (piece: Buffer, _, done) => {
        if (isLatest()) this.add(piece);
        done();
      },
    });
    this.latest = stream;
    return { stream, bytes: () => (isLatest() ? this.memory.subarray(0, this.length) : null) };
  }

  private add(piece: Buffer): void {
    const length = this.length + piece.length;
    if (length > this.memory.length) {
      const larger = Buffer.allocUnsafeSlow(Math.ceil(length * growth));
      this.memory.copy(larger, 0, 0, this.length);
      this.memory = larger;
    }
    piece.copy(this.memory, this.length);
    this.length = length;
  }
}
