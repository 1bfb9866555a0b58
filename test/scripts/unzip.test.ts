import { expect, test } from 'vitest';
import { unzip } from '@/scripts/unzip.mjs';
import { zip } from '@/test/support/zip';

const big = Buffer.from('signal '.repeat(100_000));
const archive = zip([
  { name: 'LICENSE.txt', bytes: Buffer.from('free'), stored: true },
  { name: 'consul', bytes: big },
]);

test('stored and deflated files come out as they went in', () => {
  expect(unzip(archive, 'LICENSE.txt').toString()).toBe('free');
  expect(unzip(archive, 'consul').equals(big)).toBe(true);
});

test('a file that is not inside, a cut archive and something else are refused', () => {
  expect(() => unzip(archive, 'vault')).toThrow('holds no file vault');
  expect(() => unzip(archive.subarray(0, archive.length - 40), 'consul')).toThrow();
  expect(() => unzip(Buffer.from('<html>not found</html>'), 'consul')).toThrow('not a zip');
});

test('a comment after the end record is no obstacle', () => {
  expect(unzip(Buffer.concat([archive, Buffer.from('made by somebody')]), 'LICENSE.txt').toString()).toBe(
    'free',
  );
});
