/**
 * One row on its way to the operator's receiver. Signed, so that the receiver can tell it from anybody else's; over
 * time and body together, so that an old one cannot be sent again later. The row's digest names the delivery: a
 * receiver that has seen it before has the row already.
 */
import { createHmac } from 'node:crypto';
import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import type { AuditRow } from '@/lib/domain/actions/audit';

/** How old a delivery may be by the receiver's clock. Each attempt is signed anew. */
export const replayWindowS = 300;

/** The signature of a body sent at a time: hex of HMAC-SHA256 over `<seconds>.<body>`. */
export function sign(secret: string, timestampS: number, body: string): string {
  return createHmac('sha256', secret).update(`${timestampS}.${body}`).digest('hex');
}

export interface Delivery {
  readonly url: URL;
  readonly secret: string;
  readonly row: AuditRow;
  readonly atMs: number;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
}

/** Bytes of an answer that are read, to leave the connection in order; what is in them does not matter. */
const answerBytesMax = 16 * 1024;

/** Sends one row. Resolves with the status of the answer; rejects when there was none. Redirects are not followed. */
export function post({ url, secret, row, atMs, signal }: Delivery): Promise<number> {
  const body = JSON.stringify(row);
  const timestampS = Math.floor(atMs / 1000);
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? overHttps : overHttp)(
      url,
      {
        method: 'POST',
        agent: false,
        signal,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'user-agent': 'signalbox',
          'signalbox-timestamp': String(timestampS),
          'signalbox-signature': `v1=${sign(secret, timestampS, body)}`,
          'signalbox-delivery': row.digest,
        },
      },
      (response) => {
        resolve(response.statusCode ?? 0);
        let bytes = 0;
        response.on('data', (part: Buffer) => {
          bytes += part.byteLength;
          if (bytes > answerBytesMax) response.destroy();
        });
        // The status has been told by then.
        response.on('error', () => {});
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}
