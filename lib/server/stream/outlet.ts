/** Where the bytes for one viewer go: into the response of Node, or into a web stream where there is no reaching it. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface Outlet {
  /** Bytes that wait here because the viewer does not read. */
  readonly waiting: number;
  write(bytes: Uint8Array): void;
  /** After what waits. */
  end(): void;
  /** At once, for a viewer that reads nothing. */
  destroy(): void;
}

/** Time to read what waits at the end. Who reads nothing would keep the connection for as long as it likes. */
export const lingerMs = 10_000;

/**
 * Writes to the connection itself. The response would hold each event back until all viewers had been given theirs, and then
 * pass on the same bytes: a tenth more processor time for each. So it must not send in chunks, and its head goes before the first
 * event. A class, since there are thousands of them.
 */
export class ResponseOutlet implements Outlet {
  private readonly socket: Socket;

  /** Throws where the response waits behind another one of its connection. */
  constructor(private readonly response: ServerResponse) {
    if (response.socket === null) throw new Error('The response has no connection yet.');
    this.socket = response.socket;
  }
  get waiting(): number {
    return this.socket.writableLength;
  }
  /** Nothing, where the viewer has closed its side: Node closes ours, and tells of it when that is done. */
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
   * Tells the viewer what becomes of the connection. Here, as functions that are made in one place keep what any of them needs:
   * beside that which begins the stream they would keep the request for as long as it goes on.
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
