/** A plain client of the console's event stream: an EventSource without a browser, which accepts gzip like one. */
import http from 'node:http';
import { constants, createGunzip } from 'node:zlib';

export interface StreamEvent {
  readonly event: string;
  readonly data: string;
  /** `performance.now()` when its last byte arrived. */
  readonly atMs: number;
  /** Bytes on the wire since the last event. */
  readonly wireBytes: number;
}

export interface Events {
  /** Bytes of the stream so far, on the wire. */
  readonly bytes: number;
  close(): void;
}

/**
 * Opens `<baseUrl>/api/v1/events`. Resolves with the first snapshot's arrival. `query`: with its question mark.
 * `cookie`: from a sign-in.
 */
export function openEvents(
  baseUrl: string,
  onEvent: (event: StreamEvent) => void,
  query = '',
  cookie = '',
): Promise<Events> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    let rest = '';
    const url = `${baseUrl}/api/v1/events${query}`;
    const asked = http.get(
      url,
      { agent: false, headers: { 'accept-encoding': 'gzip', cookie } },
      (answer) => {
        if (answer.statusCode !== 200) {
          answer.resume();
          reject(new Error(`The stream was refused: ${answer.statusCode}`));
          return;
        }
        const events: Events = {
          get bytes() {
            return bytes;
          },
          close: () => asked.destroy(),
        };
        let told = 0;
        answer.on('data', (part: Buffer) => {
          bytes += part.length;
        });
        // The stream never ends, so each flush must yield its data.
        const unpacked = answer.pipe(createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }));
        unpacked.setEncoding('utf8').on('data', (part: string) => {
          const atMs = performance.now();
          rest += part;
          // A large snapshot comes in hundreds of parts, and only the new one can end an event.
          if (!part.includes('\n')) return;
          const blocks = rest.split('\n\n');
          rest = blocks.pop() ?? '';
          for (const block of blocks) {
            const event = /^event: (.*)$/m.exec(block)?.[1];
            const data = /^data: (.*)$/m.exec(block)?.[1];
            if (event === undefined || data === undefined) continue;
            onEvent({ event, data, atMs, wireBytes: bytes - told });
            told = bytes;
            if (event === 'snapshot') resolve(events);
          }
        });
        answer.on('error', () => {});
        unpacked.on('error', () => {});
        // Nothing else would settle this, as when a sign-in ends.
        answer.on('close', () => reject(new Error('The stream ended before its snapshot.')));
      },
    );
    asked.on('error', reject);
  });
}
