/** A TCP proxy in front of a server, to make the failures of a network on purpose. */
import { connect, createServer, type Socket } from 'node:net';

export interface FaultProxy {
  /** `127.0.0.1:<port>`. Stays the same through every fault. */
  readonly address: string;
  /** Connections open right now. */
  readonly connections: number;
  /** Bytes passed on so far, both ways: tells that an answer is on its way. */
  readonly bytesPassed: number;
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
  /** Undoes `stall` and `slow`. */
  resume(): void;
  /** Passes on at most so many bytes a second on each connection, in each direction. */
  slow(bytesPerSecond: number): void;
  close(): Promise<void>;
}

type Mode = { kind: 'pass' } | { kind: 'stall' } | { kind: 'slow'; bytesPerSecond: number };

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
  ) {
    from.on('data', (bytes) => {
      this.waiting.push(bytes);
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
    let budget = mode.kind === 'pass' ? Number.POSITIVE_INFINITY : (mode.bytesPerSecond * tickMs) / 1000;
    for (let piece = this.waiting.shift(); piece !== undefined; piece = this.waiting.shift()) {
      const part = piece.subarray(0, Math.max(1, Math.floor(budget)));
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

/** Starts a proxy in front of `target` (`host:port`). */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const [host = '127.0.0.1', port = '0'] = target.split(':');
  let mode: Mode = { kind: 'pass' };
  let refusing = false;
  let standIn: string | null = null;
  let answered = 0;
  const links = new Set<{ client: Socket; server: Socket; pipes: Pipe[] }>();
  const all: Pipe[] = [];

  const proxy = createServer({ allowHalfOpen: true }, (client) => {
    if (refusing) {
      client.resetAndDestroy();
      return;
    }
    if (standIn !== null) {
      const text = standIn;
      client.on('error', () => client.destroy());
      client.once('data', () => {
        answered += 1;
        client.end(text);
      });
      return;
    }
    const server = connect({ host, port: Number(port), allowHalfOpen: true });
    const pipes = [new Pipe(client, server, () => mode), new Pipe(server, client, () => mode)];
    all.push(...pipes);
    const link = { client, server, pipes };
    links.add(link);
    const over = () => {
      links.delete(link);
      for (const pipe of pipes) pipe.stop();
    };
    // A server that is gone or breaks the connection must look the same from the client's side.
    server.on('error', () => client.resetAndDestroy());
    client.on('error', () => server.resetAndDestroy());
    server.on('close', () => {
      over();
      if (mode.kind === 'pass') client.end();
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
    for (const { client, server } of links) {
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
      return all.reduce((sum, pipe) => sum + pipe.passed, 0);
    },
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
    slow: (bytesPerSecond) => set({ kind: 'slow', bytesPerSecond }),
    close: async () => {
      reset();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
