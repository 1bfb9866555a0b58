/**
 * Sends one row to the operator's receiver. The signature covers time and body together, so that an old row cannot be
 * replayed. The row's digest names the delivery, so that a receiver can drop duplicates.
 */
import { createHmac } from 'node:crypto';
import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import type { AuditRow } from '@/lib/domain/actions/audit';

/** Seconds by the receiver's clock. Each attempt has a new signature. */
export const replayWindowS = 300;

/** Hex of HMAC-SHA256 over `<seconds>.<body>`. */
export function sign(secret: string, timestampS: number, body: string): string {
  return createHmac('sha256', secret).update(`${timestampS}.${body}`).digest('hex');
}

export interface Delivery {
  readonly url: URL;
  readonly secret: string;
  readonly row: AuditRow;
  readonly atMs: number;
  readonly signal: AbortSignal;
}

/** Enough to close the connection cleanly; their content does not matter. */
const answerBytesMax = 16 * 1024;

/** Resolves with the answer's status; rejects without an answer. Redirects are not followed. */
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
        response.on('error', () => {});
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}
