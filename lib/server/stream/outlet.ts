/** The sink of a viewer's bytes: Node's response, or a web stream where the response is out of reach. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface Outlet {
  /** Bytes that the viewer has not read yet. */
  readonly waiting: number;
  write(bytes: Uint8Array): void;
  /** Ends after the waiting bytes. */
  end(): void;
  /** Ends at once, for a viewer that does not read. */
  destroy(): void;
}

/** Time to read the last bytes. A viewer that does not read would keep the connection open. */
export const lingerMs = 10_000;

/**
 * Writes to the connection itself. The response would hold each event until all viewers had theirs, and then pass on
 * the same bytes, at more processor time for each. So the response must not use chunks, and its head goes before the
 * first event. A class, as there are thousands of instances.
 */
export class ResponseOutlet implements Outlet {
  private readonly socket: Socket;

  /** Throws where the response waits behind another one on its connection. */
  constructor(private readonly response: ServerResponse) {
    if (response.socket === null) throw new Error('The response has no connection yet.');
    this.socket = response.socket;
  }
  get waiting(): number {
    return this.socket.writableLength;
  }
  /** Writes nothing once the viewer has closed its side: Node closes ours and then emits `close`. */
  write(bytes: Uint8Array): void {
    if (this.socket.writable) this.socket.write(bytes);
  }
  end(): void {
    const { response } = this;
    const timer = setTimeout(() => response.destroy(), lingerMs).unref();
    response.once('close', () => clearTimeout(timer));
    response.end();
  }
  destroy(): void {
    this.response.destroy();
  }
  /**
   * Reports the connection's events to the viewer. Closures made in one place share their scope: made beside the start
   * of the stream, these would keep the request in memory.
   */
  heed(viewer: { leave(): void; drained(): void }): void {
    this.response.on('close', () => viewer.leave());
    this.socket.on('drain', () => viewer.drained());
  }
}

/** `highWaterMark`: of the stream's strategy, in bytes. */
export const controllerOutlet = (
  controller: ReadableStreamDefaultController<Uint8Array>,
  highWaterMark: number,
): Outlet => ({
  get waiting() {
    return highWaterMark - (controller.desiredSize ?? 0);
  },
  write: (bytes) => controller.enqueue(bytes),
  end: () => controller.close(),
  destroy: () => controller.error(new Error('The viewer reads nothing.')),
});
