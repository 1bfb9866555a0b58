/** Where the bytes for one viewer go: into the response of Node, or into a web stream where there is no reaching it. */
import type { takeResponse } from './handover';

export interface Outlet {
  /** Bytes that wait here because the viewer does not read. */
  readonly waiting: number;
  write(bytes: Uint8Array): void;
  /** After what waits. */
  end(): void;
  /** At once, for a viewer that reads nothing. */
  destroy(): void;
}

export const responseOutlet = (response: NonNullable<ReturnType<typeof takeResponse>>): Outlet => ({
  get waiting() {
    return response.writableLength;
  },
  write: (bytes) => void response.write(bytes),
  end: () => void response.end(),
  destroy: () => void response.destroy(),
});

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
