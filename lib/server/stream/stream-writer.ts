/** The sink of a viewer's bytes: Node's response, or a web stream where the response is out of reach. */
import type { ServerResponse } from 'node:http';

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

/** A class, as there are thousands of instances. */
export class ResponseOutlet implements Outlet {
  constructor(private readonly response: ServerResponse) {}
  get waiting(): number {
    return this.response.writableLength;
  }
  /** Sends at once. Without the cork, Node would hold each event until all viewers had theirs. */
  write(bytes: Uint8Array): void {
    this.response.cork();
    this.response.write(bytes);
    this.response.uncork();
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
   * Reports the response's events to the viewer. Closures made in one place share their scope: made beside the start
   * of the stream, these would keep the request in memory.
   */
  heed(viewer: { leave(): void; drained(): void }): void {
    this.response.on('close', () => viewer.leave());
    this.response.on('drain', () => viewer.drained());
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
