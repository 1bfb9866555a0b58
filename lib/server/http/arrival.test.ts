import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Arrival, type Arrivals, createArrivals } from './arrival';
import { normalizeRequest, peerOf } from './peer';

const setting = (addresses: string[], header: string | null = null, url: string | null = null) =>
  createArrivals({ proxy: { addresses, header }, url: url === null ? null : new URL(url) });

let how: Arrivals = setting([]);
const server = createServer((message, response) => {
  normalizeRequest(message);
  // As in Next, the server's headers become those of a `Request`.
  const headers = new Headers();
  for (const [name, value] of Object.entries(message.headers)) headers.set(name, String(value));
  response.end(JSON.stringify({ peer: peerOf(headers), ...how(headers) }));
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '::', resolve));
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
});

/** The server's view of one request from this machine. */
function ask(
  headers: Record<string, string> = {},
  host = '127.0.0.1',
): Promise<Arrival & { peer: string | null }> {
  return new Promise((resolve, reject) => {
    const { port } = server.address() as AddressInfo;
    const call = request({ host, port, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve(JSON.parse(text)));
    });
    call.on('error', reject);
    call.end();
  });
}

describe('the peer', () => {
  test('is the other end of the socket, at any value that the client sends under that name', async () => {
    how = setting([]);
    expect((await ask()).peer).toBe('127.0.0.1');
    expect((await ask({}, '::1')).peer).toBe('::1');
    expect((await ask({ 'x-signalbox-peer': '10.9.8.7', 'X-Signalbox-Peer': '1 10.9.8.7' })).peer).toBe(
      '127.0.0.1',
    );
  });

  test('is not known without the number of this process, so that no client names an address by hand', () => {
    expect(peerOf(new Headers({ 'x-signalbox-peer': '10.9.8.7' }))).toBeNull();
    expect(peerOf(new Headers({ 'x-signalbox-peer': 'undefined 10.9.8.7' }))).toBeNull();
    expect(peerOf(new Headers())).toBeNull();
  });
});

const forged = {
  'x-forwarded-for': '1.1.1.1',
  'x-forwarded-proto': 'https',
  'x-user': 'root',
};

describe('a proxy that is not listed', () => {
  test('is not believed: neither the address, nor TLS, nor the person', async () => {
    for (const addresses of [[], ['10.0.0.0/8'], ['::1'], ['127.0.0.2'], ['128.0.0.0/1']]) {
      how = setting(addresses, 'x-user');
      expect(await ask(forged)).toMatchObject({ address: '127.0.0.1', secure: false, person: null });
    }
  });
});

describe('a proxy that is listed', () => {
  test.each([['127.0.0.1'], ['127.0.0.0/8'], ['10.0.0.1', '127.0.0.0/30'], ['0.0.0.0/0']])(
    'is believed (%s)',
    async (...addresses) => {
      how = setting(addresses, 'x-user');
      expect(await ask(forged)).toMatchObject({ address: '1.1.1.1', secure: true, person: 'root' });
    },
  );

  test.each([
    ['9.9.9.9, 1.1.1.1', '1.1.1.1'],
    ['9.9.9.9, 1.1.1.1, 10.0.0.1', '1.1.1.1'],
    ['1.1.1.1, 10.0.0.2, 10.0.0.1', '1.1.1.1'],
    ['10.0.0.2, 10.0.0.1', '10.0.0.2'],
    ['1.1.1.1:4711', '1.1.1.1'],
    ['[2001:db8::7]:4711', '2001:db8::7'],
    ['2001:db8::7', '2001:db8::7'],
    ['::ffff:1.1.1.1', '1.1.1.1'],
    ['', '127.0.0.1'],
    ['1.1.1.1, unknown', null],
    ['1.1.1.1, <script>', null],
  ])(
    'of x-forwarded-for "%s" the last hop without a trusted proxy counts: %s',
    async (forwarded, address) => {
      how = setting(['127.0.0.1', '10.0.0.0/8']);
      expect((await ask({ 'x-forwarded-for': forwarded })).address).toBe(address);
    },
  );

  test('names a person in the header that was set, and in no other', async () => {
    how = setting(['127.0.0.1'], 'x-user');
    expect((await ask({ 'x-remote-user': 'ann' })).person).toBeNull();
    expect((await ask({ 'x-user': '' })).person).toBeNull();
    expect((await ask({ 'x-user': ' ann ' })).person).toBe('ann');
    expect((await ask({ 'x-user': Buffer.from('安娜', 'utf8').toString('latin1') })).person).toBe('安娜');
    expect((await ask({ 'x-user': 'a'.repeat(200) })).person).toBeNull();
    expect((await ask({ 'x-user': 'ann\tbob' })).person).toBeNull();
    how = setting(['127.0.0.1']);
    expect((await ask({ 'x-user': 'ann' })).person).toBeNull();
  });
});

test('at an address that people use over https everything is over TLS, at any header', async () => {
  how = setting([], null, 'https://console.example');
  expect((await ask({ 'x-forwarded-proto': 'http' })).secure).toBe(true);
  how = setting([], null, 'http://console.example');
  expect((await ask({ 'x-forwarded-proto': 'https' })).secure).toBe(false);
});

test.each(['proxy.example', '10.0.0.0/33', '10.0.0', '10.0.0.1/8/8', '::1/129', '10.0.0.0/', '*'])(
  'a list with %s ends the start',
  (part) => {
    expect(() => setting(['127.0.0.1', part])).toThrow(/SIGNALBOX_TRUSTED_PROXY/);
  },
);
