import { constants, createGunzip } from 'node:zlib';
import { expect, test } from 'vitest';
import { besideMinBytes, encode, encodingFor, inBoth, inBothFirst } from './encoding';

/** A reader's text of an unfinished stream. */
async function read(parts: readonly Uint8Array[]): Promise<string> {
  const unpacked = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  let text = '';
  unpacked.on('data', (part: Buffer) => {
    text += part.toString();
  });
  for (const part of parts) unpacked.write(part);
  await new Promise((resolve) => unpacked.flush(() => resolve(null)));
  return text;
}

test('separately compressed events are one gzip stream, in any order and as often as one likes', async () => {
  const first = inBothFirst(Buffer.from('retry: 1000\n\n'));
  const ping = inBoth(Buffer.from('event: ping\ndata: {}\n\n'));
  const small = Buffer.from(`data: ${'lock '.repeat(500)}\n\n`);
  const large = Buffer.from(`data: ${Array.from({ length: besideMinBytes }, (_, n) => n).join(',')}\n\n`);
  const parts = [
    first.gzip,
    ping.gzip,
    await encode(large, 'gzip'),
    await encode(small, 'gzip'),
    ping.gzip,
    await encode(small, 'gzip'),
  ];
  const text = [first.identity, ping.identity, large, small, ping.identity, small].join('');
  expect(await read(parts)).toBe(text);
  // Each event is complete with its own bytes.
  for (let n = 1; n <= parts.length; n += 1)
    expect(text.startsWith(await read(parts.slice(0, n)))).toBe(true);
  expect(await read(parts.slice(0, 2))).toBe(`${first.identity}${ping.identity}`);
});

test('equal words take less', async () => {
  const bytes = Buffer.from(`data: ${'{"key":"jobs/lock"}'.repeat(40)}\n\n`);
  expect((await encode(bytes, 'gzip')).length).toBeLessThan(bytes.length / 5);
  expect(encode(bytes, 'identity')).toBe(bytes);
});

test.each([
  ['gzip, deflate, br, zstd', 'gzip'],
  ['GZIP;q=0.5', 'gzip'],
  ['br;q=1.0, gzip;q=0.8, *;q=0.1', 'gzip'],
  ['gzip;q=0', 'identity'],
  ['gzip; q=0.000, deflate', 'identity'],
  ['identity', 'identity'],
  ['br', 'identity'],
  ['', 'identity'],
  [null, 'identity'],
])('a reader that accepts %s gets %s', (accepted, encoding) => {
  expect(encodingFor(accepted)).toBe(encoding);
});
