/** Requests as no browser and no `fetch` would send them: any host, any method, any header, any body. */

import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';

export interface Raw {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** A problem's own words; `''` for anything else. */
  readonly code: string;
}

/** A stream is given up at its head: its end is not waited for. */
export function ask(baseUrl: string, { path, method = 'GET', headers = {}, body }: Raw): Promise<RawAnswer> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const sent = request(
      // A connection of its own: a server that answers before a body has come ends it.
      { hostname, port, path, method, headers, agent: false, setHost: headers.host === undefined },
      (response) => {
        const parts: Buffer[] = [];
        const done = () => {
          const text = Buffer.concat(parts).toString('utf8');
          const { statusCode: status = 0, headers } = response;
          resolve({ status, headers, body: text, code: codeOf(text) });
        };
        if (response.headers['content-type']?.startsWith('text/event-stream')) {
          response.once('data', (part: Buffer) => {
            parts.push(part);
            done();
            sent.destroy();
          });
          response.once('end', done);
          return;
        }
        response.on('data', (part: Buffer) => parts.push(part));
        response.once('end', done);
        response.once('error', done);
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

function codeOf(text: string): string {
  try {
    const { code, why } = JSON.parse(text) as { code?: string; why?: { code?: string } };
    return [code, why?.code].filter(Boolean).join(' ');
  } catch {
    return '';
  }
}

/** JSON as a page of ours would send it. */
export const json = (value: unknown): Pick<Raw, 'headers' | 'body'> => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

/** The addresses of all routes, as the folders of the app name them. */
export function routePaths(): string[] {
  return readdirSync('app', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('/route.ts'))
    .map((file) => `/${join(file, '..').replace(/\([^/]+\)\//g, '')}`)
    .sort();
}
