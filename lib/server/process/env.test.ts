import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readEnv } from './env';

const key = (letter: string) => letter.repeat(32);

test('nothing set: everything is watched, no stranger is let in, and no proxy is trusted', () => {
  expect(readEnv({})).toMatchObject({
    prefixes: [''],
    mode: 'console',
    actions: null,
    anonymous: false,
    loopback: false,
    url: null,
    proxy: { addresses: [], header: null },
    signIn: { keys: [], idleMs: 3_600_000, longestMs: 43_200_000 },
    embeds: { allowed: true, keys: [] },
    store: { folder: '.signalbox/data' },
    demo: false,
  });
});

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['::1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.7', false],
  ['console.example', false],
])('bound to %s, only this machine reaches it: %s', (host, loopback) => {
  expect(readEnv({ SIGNALBOX_HOST: host }).loopback).toBe(loopback);
});

test.each([
  [undefined, 1_000_000_000],
  ['500MB', 500_000_000],
  ['20GB', 20_000_000_000],
  ['1000000', 1_000_000],
])('a bound of %s on the history is %s bytes', (text, bytes) => {
  expect(readEnv({ SIGNALBOX_HISTORY_BYTES: text }).history.bytes).toBe(bytes);
});

test('prefixes are separated by commas', () => {
  expect(readEnv({ SIGNALBOX_PREFIXES: ' locks/, semaphore ,,' }).prefixes).toEqual(['locks/', 'semaphore']);
});

test.each([
  ['/', 'Leave it out to watch every key.'],
  ['locks/,/semaphore', 'Write "semaphore" instead.'],
  ['a//', 'Write "a/" instead.'],
  ['a/../b', 'Write "a/" instead.'],
])('the prefixes %s are refused, and what to write instead is said', (value, next) => {
  expect(() => readEnv({ SIGNALBOX_PREFIXES: value })).toThrow(new RegExp(`SIGNALBOX_PREFIXES.*${next}`));
});

test.each([
  ['SIGNALBOX_ACTIONS', 'yes'],
  ['SIGNALBOX_MODE', 'readonly'],
  ['SIGNALBOX_ANONYMOUS', 'true'],
  ['SIGNALBOX_HISTORY_BYTES', '2 apples'],
  ['SIGNALBOX_HISTORY_BYTES', '999999'],
  ['SIGNALBOX_IDLE_MINUTES', '0'],
  ['SIGNALBOX_IDLE_MINUTES', 'soon'],
  ['SIGNALBOX_URL', 'ftp://console.example'],
  ['SIGNALBOX_URL', 'https://console.example/below'],
  ['SIGNALBOX_URL', 'https://me:word@console.example'],
  ['SIGNALBOX_IDENTITY_HEADER', 'x user'],
  ['SIGNALBOX_SECRET', 'short'],
  ['SIGNALBOX_SECRET', [key('a'), key('b'), key('c')].join(',')],
  ['SIGNALBOX_EMBED_KEYS', key('a')],
  ['SIGNALBOX_EMBED_KEYS', `one:${key('a')},one:${key('b')}`],
  ['SIGNALBOX_AUDIT_WEBHOOK', 'file:///etc/passwd'],
  ['SIGNALBOX_AUDIT_WEBHOOK', 'https://example.org/without-a-secret'],
  ['SIGNALBOX_AUDIT_WEBHOOK_SECRET', key('a')],
  ['DATABASE_URL', 'mysql://db'],
])('%s=%s is refused by name, not taken for the default', (name, value) => {
  expect(() => readEnv({ [name]: value })).toThrow(new RegExp(name));
});

test('a refusal does not repeat the secret that it refuses', () => {
  const secret = 'hush-hush';
  const told = (() => {
    try {
      readEnv({ SIGNALBOX_SECRET: secret });
      return 'nothing';
    } catch (error) {
      return String(error);
    }
  })();
  expect(told).toMatch(/SIGNALBOX_SECRET/);
  expect(told).not.toContain(secret);
});

test('a secret is read from the file that is named, and a file that is not there ends the start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-env-'));
  try {
    const path = join(folder, 'secret');
    writeFileSync(path, `${key('n')},${key('o')}\n`);
    expect(readEnv({ SIGNALBOX_SECRET: key('x'), SIGNALBOX_SECRET_FILE: path }).signIn.keys).toEqual([
      key('n'),
      key('o'),
    ]);
    expect(() => readEnv({ SIGNALBOX_SECRET_FILE: join(folder, 'none') })).toThrow(/SIGNALBOX_SECRET_FILE/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
