import { expect, test } from 'vitest';
import { readEnv } from './env';

test('nothing set: everything is watched, and nothing is written, for it is not known who can ask', () => {
  expect(readEnv({})).toMatchObject({ prefixes: [''], actions: { allowed: false }, demo: false });
});

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['::1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.7', false],
  ['console.example', false],
])('bound to %s, actions are allowed: %s', (host, allowed) => {
  expect(readEnv({ SIGNALBOX_HOST: host }).actions.allowed).toBe(allowed);
});

test('what is set explicitly wins over where the server is bound', () => {
  expect(readEnv({ SIGNALBOX_HOST: '0.0.0.0', SIGNALBOX_ACTIONS: 'on' }).actions.allowed).toBe(true);
  expect(readEnv({ SIGNALBOX_ACTIONS: 'off' }).actions.allowed).toBe(false);
});

test('prefixes are separated by commas; Consul has none that begin with a slash', () => {
  expect(readEnv({ SIGNALBOX_PREFIXES: ' locks/, /semaphore ,,' }).prefixes).toEqual(['locks/', 'semaphore']);
});

test('a value that is not understood is refused by name, not taken for the default', () => {
  expect(() => readEnv({ SIGNALBOX_ACTIONS: 'yes' })).toThrow(/SIGNALBOX_ACTIONS/);
});
