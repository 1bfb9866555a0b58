/** A plain client of the console's event stream: what a program, or an EventSource without its browser, sees. */
import http from 'node:http';

export interface StreamEvent {
  readonly event: string;
  readonly data: string;
  /** `performance.now()` at which its last byte was there. */
  readonly atMs: number;
}

export interface Events {
  /** Bytes of the stream so far. */
  readonly bytes: number;
  close(): void;
}

/** Opens `<baseUrl>/api/v1/events`; resolves with the first snapshot's arrival. `query`: with its question mark. */
export function openEvents(
  baseUrl: string,
  onEvent: (event: StreamEvent) => void,
  query = '',
): Promise<Events> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    let rest = '';
    const asked = http.get(`${baseUrl}/api/v1/events${query}`, { agent: false }, (answer) => {
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
      answer.setEncoding('utf8').on('data', (part: string) => {
        const atMs = performance.now();
        bytes += Buffer.byteLength(part);
        rest += part;
        // A large snapshot comes in hundreds of parts: only the new one can end an event.
        if (!part.includes('\n')) return;
        const blocks = rest.split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) {
          const event = /^event: (.*)$/m.exec(block)?.[1];
          const data = /^data: (.*)$/m.exec(block)?.[1];
          if (event === undefined || data === undefined) continue;
          onEvent({ event, data, atMs });
          if (event === 'snapshot') resolve(events);
        }
      });
      answer.on('error', () => {});
    });
    asked.on('error', reject);
  });
}
