/** A TCP proxy in front of a server, to make the failures of a network on purpose. */
import { connect, createServer, type Socket } from 'node:net';
import { overhear, type WriteCall, writeLineOf } from './overheard';

export interface FaultProxy {
  /** `127.0.0.1:<port>`. Stays the same through every fault. */
  readonly address: string;
  /** Connections open right now. */
  readonly connections: number;
  /** Bytes passed on so far, both ways: tells that an answer is on its way. */
  readonly bytesPassed: number;
  /** Requests that write, passed on so far: `PUT /v1/kv/a?cas=1`, each by its first line. */
  readonly writes: readonly string[];
  /** Requests that write, whether they were passed on, held back, or answered by `answer`. */
  readonly calls: readonly WriteCall[];
  /** Ends every connection in order (FIN); new ones are still accepted. */
  cut(): void;
  /** Breaks every connection (RST), also in the middle of an answer. */
  reset(): void;
  /** Breaks what is open and resets every new connection, as an address where nothing listens would. */
  refuse(): void;
  /** Undoes `refuse` and `answer`. */
  accept(): void;
  /**
   * Breaks what is open and answers every request itself from now on, without asking the server: for what this
   * Consul cannot be made to say. One answer a connection. Undone by `accept`.
   */
  answer(response: { status: number; body: string }): void;
  /** Requests that `answer` has answered. */
  readonly answered: number;
  /** Stops passing bytes on in either direction; connections are accepted and stay open. */
  stall(): void;
  /** Undoes `stall`, `slow` and `garble`. */
  resume(): void;
  /** Spoils every answer from now on, as `how` says, one piece as it came from the server at a time. */
  garble(how: Garble): void;
  /** Passes on at most so many bytes a second on each connection, in each direction. */
  slow(bytesPerSecond: number): void;
  close(): Promise<void>;
}

/** One piece of an answer, head or body, to what is passed on in its place. */
export type Garble = (piece: Buffer) => Buffer;

/** Answers 500 to whoever asks for the health of nodes and checks, and to nobody else. */
export const withoutHealth: Garble = (piece) =>
  piece.includes('"CheckID"')
    ? Buffer.from(piece.toString('latin1').replace('200 OK', '500 Internal Server Error'), 'latin1')
    : piece;

type Mode =
  | { kind: 'pass' }
  | { kind: 'stall' }
  | { kind: 'slow'; bytesPerSecond: number }
  | { kind: 'garble'; how: Garble };

/** How often a slowed connection passes a piece on. */
const tickMs = 20;

class Pipe {
  private readonly waiting: Buffer[] = [];
  private ended = false;
  private timer: NodeJS.Timeout | null = null;
  /** Bytes passed on. */
  passed = 0;

  constructor(
    private readonly from: Socket,
    private readonly to: Socket,
    private readonly mode: () => Mode,
    /** Told of each piece as it is passed on; `null`: these are answers. */
    private readonly onRequest: ((piece: Buffer) => void) | null,
    /** Told of each piece as it comes, and whether it goes on at once and as it is. */
    private readonly onPiece: (piece: Buffer, told: boolean) => void,
  ) {
    from.on('data', (bytes) => {
      const now = mode();
      this.onPiece(bytes, now.kind === 'pass');
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

  /** Passes on what the mode allows right now. Called again by every event that could allow more. */
  flush(): void {
    const mode = this.mode();
    if (mode.kind === 'stall' || this.timer !== null || this.to.destroyed) return;
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
    if (this.waiting.length > 0) return;
    if (this.ended) this.to.end();
    else if (!this.to.writableNeedDrain) this.from.resume();
  }

  stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }
}

/**
 * Starts a proxy in front of `target` (`host:port`). `localAddress`: where the server sees it come from, such as
 * `127.0.0.3`, so that what a server allows to one address can be used up for it alone. `answerMaxMs`: it cuts a
 * connection so long after the last request on it, as an agent does that has a `write_timeout`.
 */
export async function startFaultProxy(
  target: string,
  { localAddress, answerMaxMs }: { localAddress?: string; answerMaxMs?: number } = {},
): Promise<FaultProxy> {
  const [host = '127.0.0.1', port = '0'] = target.split(':');
  let mode: Mode = { kind: 'pass' };
  let refusing = false;
  let standIn: string | null = null;
  let answered = 0;
  /** Every connection that was taken, also one that no server stands behind, or whose server has left. */
  const taken = new Set<Socket>();
  const links = new Set<{ client: Socket; server: Socket; pipes: Pipe[]; broke: () => void }>();
  /** Of connections that are over. */
  let bytesBefore = 0;
  const passedBy = ({ pipes }: { pipes: Pipe[] }) => pipes.reduce((sum, { passed }) => sum + passed, 0);
  const writes: string[] = [];
  const onRequest = (piece: Buffer) => {
    const line = writeLineOf(piece);
    if (line !== null) writes.push(line);
  };
  const calls: WriteCall[] = [];

  const proxy = createServer({ allowHalfOpen: true }, (client) => {
    taken.add(client);
    client.once('close', () => taken.delete(client));
    if (refusing) {
      client.resetAndDestroy();
      return;
    }
    if (standIn !== null) {
      const text = standIn;
      client.on('error', () => client.destroy());
      client.once('data', (piece) => {
        answered += 1;
        const heard = overhear(calls);
        heard.asked(piece);
        heard.answered(Buffer.from(text), true);
        client.end(text);
      });
      return;
    }
    const server = connect({
      host,
      port: Number(port),
      allowHalfOpen: true,
      ...(localAddress === undefined ? {} : { localAddress }),
    });
    const heard = overhear(calls);
    const pipes = [
      new Pipe(client, server, () => mode, onRequest, heard.asked),
      new Pipe(server, client, () => mode, null, heard.answered),
    ];
    const link = { client, server, pipes, broke: heard.broke };
    links.add(link);
    let cutting: NodeJS.Timeout | undefined;
    if (answerMaxMs !== undefined)
      client.on('data', () => {
        clearTimeout(cutting);
        cutting = setTimeout(() => {
          client.resetAndDestroy();
          server.destroy();
        }, answerMaxMs);
      });
    const over = () => {
      if (!links.delete(link)) return;
      bytesBefore += passedBy(link);
      clearTimeout(cutting);
      for (const pipe of pipes) pipe.stop();
    };
    // A server that is gone or breaks the connection must look the same from the client's side.
    server.on('error', () => client.resetAndDestroy());
    client.on('error', () => server.resetAndDestroy());
    server.on('close', () => {
      over();
      if (mode.kind !== 'stall' && mode.kind !== 'slow') client.end();
    });
    client.on('close', () => {
      over();
      server.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    proxy.once('error', reject);
    proxy.listen(0, '127.0.0.1', resolve);
  });
  const bound = proxy.address();
  if (bound === null || typeof bound === 'string') throw new Error('The proxy has no port.');

  const set = (next: Mode) => {
    mode = next;
    for (const { pipes } of links)
      for (const pipe of pipes) {
        pipe.stop();
        pipe.flush();
      }
  };
  const reset = () => {
    for (const { client, server, broke } of links) {
      broke();
      client.resetAndDestroy();
      server.destroy();
    }
  };
  return {
    address: `127.0.0.1:${bound.port}`,
    get connections() {
      return links.size;
    },
    get bytesPassed() {
      return [...links].reduce((sum, link) => sum + passedBy(link), bytesBefore);
    },
    writes,
    calls,
    cut: () => {
      for (const { client, server } of links) {
        client.end();
        server.destroy();
      }
    },
    reset,
    refuse: () => {
      refusing = true;
      reset();
    },
    accept: () => {
      refusing = false;
      standIn = null;
    },
    answer: ({ status, body }) => {
      standIn = [
        `HTTP/1.1 ${status} Stand-in`,
        'content-type: text/plain',
        `content-length: ${Buffer.byteLength(body)}`,
        'connection: close',
        '',
        body,
      ].join('\r\n');
      reset();
    },
    get answered() {
      return answered;
    },
    stall: () => set({ kind: 'stall' }),
    resume: () => set({ kind: 'pass' }),
    garble: (how) => set({ kind: 'garble', how }),
    slow: (bytesPerSecond) => set({ kind: 'slow', bytesPerSecond }),
    close: async () => {
      reset();
      // One that sent nothing, or whose bytes wait, would not notice that its other end is gone.
      for (const client of taken) client.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
