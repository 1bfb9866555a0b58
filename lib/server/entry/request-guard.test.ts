import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { normalizeRequest } from '@/lib/server/http/peer';
import { pass } from './request-guard';

/** Answers of a server that converts Node's request to the web's, as Next does, and checks whether it may pass. */
async function answered(method: string, path: string) {
  const server = createServer(async (asked, response) => {
    normalizeRequest(asked);
    const { refusal, headers } = await pass(
      new Request(`http://localhost${asked.url}`, {
        method: asked.method ?? '',
        headers: { host: 'localhost' },
      }),
    ).catch((error: unknown) => ({ refusal: new Response(String(error), { status: 500 }), headers: {} }));
    response.writeHead(refusal?.status ?? 200, { ...Object.fromEntries(refusal?.headers ?? []), ...headers });
    response.end(await refusal?.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }>(
      (resolve, reject) => {
        const asking = request({ port, host: '127.0.0.1', path, method }, (response) => {
          let body = '';
          response.setEncoding('utf8').on('data', (part) => {
            body += part;
          });
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
          );
        });
        asking.on('error', reject).end();
      },
    );
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

test.each([
  ['TRACE', '/', 'GET, HEAD'],
  ['TRACE', '/api/v1/actions', 'POST'],
  ['TRACE', '/api/v1/events', 'GET, HEAD'],
  ['PROPFIND', '/lock?key=a', 'GET, HEAD'],
])(
  '%s of %s is refused like every other method, with the headers of every answer',
  async (method, path, allow) => {
    const { status, headers, body } = await answered(method, path);
    expect([status, headers.allow]).toEqual([405, allow]);
    expect(headers).toMatchObject({
      'content-type': 'application/problem+json',
      'content-security-policy': expect.stringContaining('nonce-'),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    expect(JSON.parse(body)).toMatchObject({ code: 'invalid', why: { code: 'wrong-method' } });
  },
);
