import { createPrivateKey } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { noCredentials } from '@/lib/domain/seam/source-settings';
import { newAuthority } from '@/test/support/certificate';
import { credentialsOf } from './source-credentials';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-source-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, content: string) => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const of = (parameters: Record<string, string>, env: Record<string, string> = {}) =>
  credentialsOf(
    { id: 'jobs', address: new URL(`redis://127.0.0.1?${new URLSearchParams(parameters)}`) },
    env,
  );

test('a secret is that of the file or the variable that the address names, without the space around it', () => {
  expect(of({})).toEqual(noCredentials);
  expect(of({ 'token-file': file('t', ' s-e-c-r-e-t \n') }).token).toBe('s-e-c-r-e-t');
  expect(of({ 'password-env': 'JOBS' }, { JOBS: 'pa ss' })).toMatchObject({ token: null, password: 'pa ss' });
});

test.each([
  [
    'a file that is not there',
    { 'token-file': '/nowhere/t' },
    'token-file of jobs names /nowhere/t, which can',
  ],
  ['a variable that is not set', { 'token-env': 'HUSH' }, 'token-env of jobs must be the name of a variable'],
  ['a secret in place of a name', { 'token-env': 'hush-7' }, 'token-env of jobs must be the name of'],
  ['an empty variable', { 'password-env': 'EMPTY' }, 'password-env of jobs names nothing but space'],
  ['several lines', { 'token-env': 'LINES' }, 'token-env of jobs must name one line, the token alone'],
  ['a secret in the address', { password: 'hush' }, 'jobs must not hold a password: name its file with pass'],
  ['an empty name', { 'server-name': '' }, 'server-name of jobs is empty'],
])('%s ends the start with one sentence', (_name, parameters, sentence) => {
  const start = () => of(parameters, { EMPTY: ' ', LINES: 'hush\nhush' });
  expect(start).toThrow(`SIGNALBOX_SOURCES: ${sentence}`);
  expect(start).toThrow(/^(?!.*hush)/s);
});

test('an empty file, and a file beside a variable, end the start without the secret in the sentence', () => {
  expect(() => of({ 'token-file': file('e', '') })).toThrow('which is empty.');
  expect(() => of({ 'token-file': file('s', ' \n') })).toThrow('nothing but space');
  const both = { 'token-file': file('b', 'hush-1'), 'token-env': 'T' };
  expect(() => of(both, { T: 'hush-2' })).toThrow(/^(?!.*hush).*both token-file and token-env/);
});

test('TLS files are read, and half a pair, a missing file or no PEM is refused', () => {
  expect(of({ 'server-name': 'redis.internal' }).tls.serverName).toBe('redis.internal');
  const key = file('k', '-----BEGIN PRIVATE KEY-----\n');
  expect(() => of({ 'key-file': key })).toThrow('jobs needs both cert-file and key-file');
  expect(() => of({ 'ca-file': key })).toThrow('ca-file of jobs has no certificate in PEM');
  expect(() => of({ 'ca-file': join(folder, 'none') })).toThrow('which cannot be read');
});

test('a key that is not of its certificate, or has a passphrase, ends the start instead of each use', () => {
  const { issue } = newAuthority();
  const [one, two] = [issue(Date.now() + 60_000), issue(Date.now() + 60_000)];
  const cert = file('cert', one.certPem);
  expect(of({ 'cert-file': cert, 'key-file': file('own', one.keyPem) }).tls.key).not.toBeNull();
  const sealed = createPrivateKey(one.keyPem).export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 'x',
  });
  for (const key of [two.keyPem, String(sealed)])
    expect(() => of({ 'cert-file': cert, 'key-file': file('key', key) })).toThrow(
      'key-file of jobs is not the key of its cert-file, or has a passphrase.',
    );
});
