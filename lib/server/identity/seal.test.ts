import { EncryptJWT } from 'jose';
import { expect, test } from 'vitest';
import { clearCookie, createSeal, readCookie, type SignIn, setCookie } from './seal';

const old = 'o'.repeat(32);
const young = 'y'.repeat(32);
const signIn: SignIn = {
  id: 'an-id-of-16-chars-or-more',
  secret: 'hush-hush',
  who: { id: 'accessor', name: '夜班 night' },
  endsAtMs: 2_000,
  idleEndsAtMs: 1_000,
};

test('a sealed sign-in opens unchanged, and shows nothing of itself on the way', async () => {
  const seal = createSeal([old]);
  const sealed = await seal.seal(signIn);
  expect(await seal.open(sealed)).toEqual(signIn);
  const shown = sealed
    .split('.')
    .map((part) => Buffer.from(part, 'base64url').toString('latin1'))
    .join();
  for (const secret of ['hush-hush', 'accessor', 'night']) {
    expect(sealed).not.toContain(secret);
    expect(shown).not.toContain(secret);
  }
});

test('a cookie that is opened again and again stays what it is, and what is no cookie is never kept', async () => {
  let nowMs = 0;
  const seal = createSeal([old], () => nowMs);
  const texts = await Promise.all(
    Array.from({ length: 1_010 }, (_, n) => seal.seal({ ...signIn, id: `a-name-of-this-sign-in-${n}` })),
  );
  for (const ms of [0, 9_999, 20_000, -5_000]) {
    nowMs = ms;
    const opened = await Promise.all([...texts, ...texts.slice(0, 3)].map((text) => seal.open(text)));
    expect(opened.map((one) => one?.id)).toEqual(
      [...texts.keys(), 0, 1, 2].map((n) => `a-name-of-this-sign-in-${n}`),
    );
    expect(await seal.open('x'.repeat(4_000))).toBeNull();
  }
});

test('a key can be replaced: the old one still opens, the new one seals', async () => {
  const before = await createSeal([old]).seal(signIn);
  const both = createSeal([young, old]);
  expect(await both.open(before)).toEqual(signIn);
  const after = await both.seal(signIn);
  expect(await createSeal([young]).open(after)).toEqual(signIn);
  expect(await createSeal([old]).open(after)).toBeNull();
  expect(await createSeal([young]).open(before)).toBeNull();
});

test("without a key each process has its own, and opens no other's seal", async () => {
  const sealed = await createSeal([]).seal(signIn);
  expect(await createSeal([]).open(sealed)).toBeNull();
});

test('text that is no seal of ours is nothing, never an error', async () => {
  const seal = createSeal([old]);
  const sealed = await seal.seal(signIn);
  const flipped = `${sealed.slice(0, -3)}${sealed.endsWith('AAA') ? 'BBB' : 'AAA'}`;
  const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
  const body = Buffer.from(JSON.stringify({ tok: 'x' })).toString('base64url');
  for (const text of ['', 'x', '....', 'a.b.c', flipped, `${none}.${body}.`, `${none}....`, sealed.slice(1)])
    expect(await seal.open(text)).toBeNull();
});

test('another algorithm or another content is refused, even under the right key', async () => {
  const seal = createSeal([old]);
  const key = new Uint8Array(32);
  const other = await new EncryptJWT({ sid: 'x'.repeat(16) })
    .setProtectedHeader({ alg: 'A256KW', enc: 'A256GCM' })
    .encrypt(key);
  expect(await seal.open(other)).toBeNull();
  const empty = await seal.seal({ ...signIn, secret: '' });
  expect(await seal.open(empty)).toBeNull();
});

test('no script reads the cookie, no other site sends it with a write, and over TLS no other host plants it', () => {
  expect(setCookie('sealed', { secure: true, maxAgeMs: 60_500 })).toBe(
    '__Host-signalbox=sealed; Path=/; Max-Age=61; HttpOnly; SameSite=Lax; Secure',
  );
  expect(setCookie('sealed', { secure: false, maxAgeMs: 60_000 })).toBe(
    'signalbox=sealed; Path=/; Max-Age=60; HttpOnly; SameSite=Lax',
  );
  expect(clearCookie(true)).toBe('__Host-signalbox=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure');
});

test('over TLS a cookie without the prefix is not looked at: another host could have planted it', () => {
  const headers = new Headers({ cookie: 'signalbox=planted; theme=dark; __Host-signalbox=ours' });
  expect(readCookie(headers, true)).toBe('ours');
  expect(readCookie(headers, false)).toBe('planted');
  expect(readCookie(new Headers({ cookie: 'signalbox=planted' }), true)).toBeNull();
  expect(readCookie(new Headers({ cookie: '__Host-signalbox=' }), true)).toBeNull();
  expect(readCookie(new Headers(), true)).toBeNull();
});

test('the longest token still fits into a cookie', async () => {
  const sealed = await createSeal([old]).seal({
    ...signIn,
    secret: 'x'.repeat(1_024),
    who: { id: 'a'.repeat(36), name: '夜'.repeat(80) },
  });
  expect(setCookie(sealed, { secure: true, maxAgeMs: 1 }).length).toBeLessThan(4_096);
});
