/** One direction of a connection through a fault proxy: which bytes pass, when, and spoiled how. */
import type { Socket } from 'node:net';

/** One piece of an answer, head or body, to what is passed on in its place. */
export type Garble = (piece: Buffer) => Buffer;

/** Answers 500 to requests for the health of nodes and checks, and to no others. */
export const withoutHealth: Garble = (piece) =>
  piece.includes('"CheckID"')
    ? Buffer.from(piece.toString('latin1').replace('200 OK', '500 Internal Server Error'), 'latin1')
    : piece;

/** A network that loses packets under TCP: a lost piece comes later, and all behind it waits. */
export interface Loss {
  /** Of pieces that are lost, each time that they are sent. */
  readonly share: number;
  readonly delayMs: readonly [min: number, max: number];
  readonly chance: () => number;
}

export type Mode =
  | { readonly kind: 'pass' }
  | { readonly kind: 'stall' }
  | { readonly kind: 'slow'; readonly bytesPerSecond: number }
  | { readonly kind: 'garble'; readonly how: Garble }
  | ({ readonly kind: 'lossy' } & Loss)
  | { readonly kind: 'lumps'; readonly bytes: number };

/** Linux sends again after 200 ms at the least, and then after twice as long each time. */
const resendMs = 200;

/** How long a piece takes. */
function tripMs({ share, delayMs: [min, max], chance }: Loss): number {
  let ms = min + chance() * (max - min);
  for (let resend = resendMs; chance() < share; resend *= 2) ms += resend;
  return ms;
}

/** How often a slowed connection passes a piece on. */
const tickMs = 20;

export class Pipe {
  private readonly waiting: Buffer[] = [];
  private ended = false;
  private timer: NodeJS.Timeout | null = null;
  /** Pieces on their way over a network that loses some, and when the last of them arrives. */
  private readonly travelling = new Set<NodeJS.Timeout>();
  private readonly onTheWay: Buffer[] = [];
  private arrivesMs = 0;
  /** Bytes passed on. */
  passed = 0;

  constructor(
    private readonly from: Socket,
    private readonly to: Socket,
    private readonly mode: () => Mode,
    /** Told of each piece as it is passed on; `null`: these are answers. */
    private readonly onRequest: ((piece: Buffer) => void) | null,
    /** Gets each piece as it comes, and whether it passes at once and unchanged. */
    private readonly onPiece: (piece: Buffer, told: boolean) => void,
  ) {
    from.on('data', (bytes) => {
      const now = mode();
      this.onPiece(bytes, now.kind === 'pass');
      if (now.kind === 'lossy' || this.travelling.size > 0) {
        this.travel(bytes, now.kind === 'lossy' ? tripMs(now) : 0);
        return;
      }
      this.waiting.push(now.kind === 'garble' && onRequest === null ? now.how(bytes) : bytes);
      from.pause();
      this.flush();
    });
    from.on('end', () => {
      this.ended = true;
      this.flush();
    });
    to.on('drain', () => this.flush());
  }

  private travel(bytes: Buffer, ms: number): void {
    const nowMs = performance.now();
    // In order: TCP gives nothing on before what was sent before it.
    this.arrivesMs = Math.max(this.arrivesMs, nowMs + ms);
    this.onTheWay.push(bytes);
    const timer = setTimeout(() => {
      this.travelling.delete(timer);
      // Timers that are due within one millisecond fire in any order, so each passes the oldest piece on.
      const oldest = this.onTheWay.shift();
      if (oldest !== undefined) this.waiting.push(oldest);
      this.flush();
    }, this.arrivesMs - nowMs);
    this.travelling.add(timer);
  }

  /** Passes on what the mode allows right now. Called again by every event that could allow more. */
  flush(): void {
    const mode = this.mode();
    if (mode.kind === 'stall' || this.timer !== null || this.to.destroyed) return;
    if (mode.kind === 'lumps' && this.onRequest === null && !this.ended) {
      const size = this.waiting.reduce((sum, { length }) => sum + length, 0);
      if (size < mode.bytes) {
        this.from.resume();
        return;
      }
    }
    let budget = mode.kind === 'slow' ? (mode.bytesPerSecond * tickMs) / 1000 : Number.POSITIVE_INFINITY;
    for (let piece = this.waiting.shift(); piece !== undefined; piece = this.waiting.shift()) {
      const part = piece.subarray(0, Math.max(1, Math.floor(budget)));
      this.onRequest?.(part);
      this.to.write(part);
      this.passed += part.length;
      budget -= part.length;
      if (part.length < piece.length) this.waiting.unshift(piece.subarray(part.length));
      if (budget < 1) break;
    }
    if (mode.kind === 'slow')
      this.timer = setTimeout(() => {
        this.timer = null;
        this.flush();
      }, tickMs);
    if (this.waiting.length > 0 || this.travelling.size > 0) return;
    if (this.ended) this.to.end();
    else if (!this.to.writableNeedDrain) this.from.resume();
  }

  stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  /** The connection is over: bytes on their way arrive nowhere. */
  end(): void {
    this.stop();
    for (const timer of this.travelling) clearTimeout(timer);
    this.travelling.clear();
    this.onTheWay.length = 0;
  }
}
