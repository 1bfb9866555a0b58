/** A TCP proxy in front of a server, to make the failures of a network on purpose. */
import { connect, createServer, type Socket } from 'node:net';
import { type Garble, type Loss, type Mode, Pipe } from './fault-pipe';
import { overhear, type WriteCall, writeLineOf } from './overheard';

export interface FaultProxy {
  /** `127.0.0.1:<port>`. Stays the same through every fault. */
  readonly address: string;
  /** Connections open right now. */
  readonly connections: number;
  /** Bytes passed on so far, both ways: shows that an answer is on its way. */
  readonly bytesPassed: number;
  /** Requests that write, passed on so far: `PUT /v1/kv/a?cas=1`, each by its first line. */
  readonly writes: readonly string[];
  /** Requests that write, whether they were passed on, held back, or answered by `answer`. */
  readonly calls: readonly WriteCall[];
  /** Connections that it has broken or ended itself: bytes to it on one of them did not arrive. */
  readonly broken: number;
  /** Ends every connection in order (FIN); new ones are still accepted. */
  cut(): void;
  /** Breaks every connection (RST), also in the middle of an answer. */
  reset(): void;
  /** Breaks what is open and resets every new connection, as an address where nothing listens would. */
  refuse(): void;
  /** Undoes `refuse` and `answer`. */
  accept(): void;
  /** Every connection from now on goes to another server (`host:port`); those that are open stay. */
  retarget(target: string): void;
  /**
   * Breaks what is open and answers every request itself from now on, without asking the server: for what this
   * Consul cannot be made to say. One answer a connection. Undone by `accept`.
   */
  answer(response: { status: number; body: string }): void;
  /** Requests that `answer` has answered, each by its first line: `GET /v1/status/peers HTTP/1.1`. */
  readonly answered: readonly string[];
  /** Stops passing bytes on in either direction; connections are accepted and stay open. */
  stall(): void;
  /** Undoes `stall`, `slow`, `garble`, `lose` and `lump`. */
  resume(): void;
  /** Spoils every answer from now on, as `how` says, one piece as it came from the server at a time. */
  garble(how: Garble): void;
  /** Passes on at most so many bytes a second on each connection, in each direction. */
  slow(bytesPerSecond: number): void;
  /** Delays each piece by as much as chance decides, and some by a retransmission or several, as a network that loses packets. */
  lose(loss: Loss): void;
  /** Passes answers on in lumps of at least so many bytes, or when they end, as a proxy does that buffers. */
  lump(bytes: number): void;
  close(): Promise<void>;
}

/**
 * Starts a proxy in front of `target` (`host:port`). `localAddress`: its own address before the server, such as
 * `127.0.0.3`, so that a server's limit for one address can be used up for it alone. `answerMaxMs`: it cuts a
 * connection this long after the last request on it, as an agent with a `write_timeout` does. `listen`: where, instead
 * of any port of 127.0.0.1. `from`: its faults hit connections from there alone.
 */
export async function startFaultProxy(
  target: string,
  {
    localAddress,
    answerMaxMs,
    listen = { host: '127.0.0.1', port: 0 },
    from,
  }: {
    localAddress?: string;
    answerMaxMs?: number;
    listen?: { readonly host: string; readonly port: number };
    from?: string;
  } = {},
): Promise<FaultProxy> {
  let [host = '127.0.0.1', port = '0'] = target.split(':');
  let mode: Mode = { kind: 'pass' };
  let refusing = false;
  let standIn: string | null = null;
  const answered: string[] = [];
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
  let broken = 0;

  const proxy = createServer({ allowHalfOpen: true }, (client) => {
    taken.add(client);
    client.once('close', () => taken.delete(client));
    if (refusing) {
      broken += 1;
      client.resetAndDestroy();
      return;
    }
    if (standIn !== null) {
      const text = standIn;
      client.on('error', () => client.destroy());
      client.once('data', (piece) => {
        answered.push(piece.toString('latin1').split('\r\n')[0] ?? '');
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
    const spared = from !== undefined && client.remoteAddress !== from;
    const modeHere = (): Mode => (spared ? { kind: 'pass' } : mode);
    const pipes = [
      new Pipe(client, server, modeHere, onRequest, heard.asked),
      new Pipe(server, client, modeHere, null, heard.answered),
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
      for (const pipe of pipes) pipe.end();
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
    proxy.listen(listen.port, listen.host, resolve);
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
    broken += links.size;
    for (const { client, server, broke } of links) {
      broke();
      client.resetAndDestroy();
      server.destroy();
    }
  };
  return {
    address: `${listen.host}:${bound.port}`,
    get connections() {
      return links.size;
    },
    get bytesPassed() {
      return [...links].reduce((sum, link) => sum + passedBy(link), bytesBefore);
    },
    writes,
    calls,
    get broken() {
      return broken;
    },
    cut: () => {
      broken += links.size;
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
    retarget: (next) => {
      [host = '127.0.0.1', port = '0'] = next.split(':');
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
    answered,
    stall: () => set({ kind: 'stall' }),
    resume: () => set({ kind: 'pass' }),
    garble: (how) => set({ kind: 'garble', how }),
    slow: (bytesPerSecond) => set({ kind: 'slow', bytesPerSecond }),
    lose: (loss) => set({ kind: 'lossy', ...loss }),
    lump: (bytes) => set({ kind: 'lumps', bytes }),
    close: async () => {
      reset();
      // One that sent nothing, or whose bytes wait, would not notice that its other end is gone.
      for (const client of taken) client.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
