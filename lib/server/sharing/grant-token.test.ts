import { SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import type { Scope } from '@/lib/domain/sharing/grant';
import { openToken, signToken } from './grant-token';

const nowMs = Date.UTC(2026, 10, 21, 12, 0, 0);
const nowS = nowMs / 1000;
const keys = [
  { id: 'new', secret: 'n'.repeat(40) },
  { id: 'old', secret: 'o'.repeat(40) },
];
const scope: Scope = {
  view: 'lock',
  key: 'a/leader',
  source: 'consul',
  datacenter: 'dc1',
  values: false,
  sessions: true,
  frames: ['https://wiki.example.com'],
  label: '',
};

interface Forged {
  readonly alg?: string;
  readonly kid?: string;
  readonly secret?: string;
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** A token as a portal would sign it, except for the given parts. */
function signed({ alg = 'HS256', kid = 'new', secret = 'n'.repeat(40), claims = {} }: Forged = {}) {
  const payload = { scope, aud: 'signalbox-embed', iat: nowS, exp: nowS + 600, ...claims };
  const said = Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined));
  return new SignJWT(said).setProtectedHeader({ alg, kid }).sign(new TextEncoder().encode(secret));
}

describe('a signed token grants what it says', () => {
  test('signed here', async () => {
    const made = await signToken(keys, { scope, lifeMs: 600_000, nowMs });
    expect(await openToken(keys, made?.token ?? '', nowMs)).toEqual({
      id: made?.id,
      scope,
      endsAtMs: nowMs + 600_000,
      grantId: null,
    });
    expect(made?.token).not.toContain(made?.id);
  });
  test('as a part of a share link, which it names and nothing else can', async () => {
    const grantId = '00000000-0000-4000-8000-000000000000';
    const made = await signToken(keys, { scope, lifeMs: 600_000, nowMs, grantId });
    expect((await openToken(keys, made?.token ?? '', nowMs))?.grantId).toBe(grantId);
    for (const grant of ['', 'all', 1, { id: grantId }])
      expect(await openToken(keys, await signed({ claims: { grant } }), nowMs)).toBeNull();
  });
  test('signed by a portal, with the key that is on its way out', async () => {
    const token = await signed({ kid: 'old', secret: 'o'.repeat(40) });
    expect((await openToken(keys, token, nowMs))?.scope).toEqual(scope);
  });
  test('until it ends, and not a moment of ours longer', async () => {
    const token = await signed();
    expect(await openToken(keys, token, nowMs + 599_000)).not.toBeNull();
    expect(await openToken(keys, token, nowMs + 606_000)).toBeNull();
  });
});

describe('a token grants nothing', () => {
  test.each<[string, Forged]>([
    ['signed with another key under our name', { secret: 'x'.repeat(40) }],
    ['of a key that is not here', { kid: 'gone', secret: 'n'.repeat(40) }],
    ['of one key under the name of the other', { kid: 'old', secret: 'n'.repeat(40) }],
    ['of another algorithm with the right key', { alg: 'HS512' }],
    ['for somebody else', { claims: { aud: 'grafana' } }],
    ['for nobody', { claims: { aud: undefined } }],
    ['without an end', { claims: { exp: undefined } }],
    ['without a beginning', { claims: { iat: undefined } }],
    ['that has ended', { claims: { iat: nowS - 700, exp: nowS - 100 } }],
    ['that lives longer than a day', { claims: { exp: nowS + 24 * 3600 + 60 } }],
    ['that lives long by an early beginning', { claims: { iat: nowS - 25 * 3600 } }],
    ['from the future', { claims: { iat: nowS + 3600, exp: nowS + 7200 } }],
    ['without a scope', { claims: { scope: undefined } }],
    ['with a view that is not there', { claims: { scope: { ...scope, view: 'sessions' } } }],
    ['with a scope of more than we know', { claims: { scope: { ...scope, prefix: '' } } }],
    [
      'with a frame that would say more in a header',
      { claims: { scope: { ...scope, frames: ["https://a.example; script-src 'unsafe-inline'"] } } },
    ],
  ])('%s', async (_, forged) => {
    expect(await openToken(keys, await signed(forged), nowMs)).toBeNull();
  });
  test('that is not signed at all', async () => {
    const none = new UnsecuredJWT({ scope }).setAudience('signalbox-embed').setIssuedAt(nowS);
    expect(await openToken(keys, none.setExpirationTime(nowS + 60).encode(), nowMs)).toBeNull();
    const [, payload] = (await signed()).split('.');
    const head = Buffer.from('{"alg":"none","kid":"new"}').toString('base64url');
    expect(await openToken(keys, `${head}.${payload}.`, nowMs)).toBeNull();
  });
  test('of which a letter was changed', async () => {
    const [head, payload = '', seal] = (await signed()).split('.');
    const wider = Buffer.from(payload, 'base64url').toString().replace('a/leader', 'b/leader');
    const forged = `${head}.${Buffer.from(wider).toString('base64url')}.${seal}`;
    expect(await openToken(keys, forged, nowMs)).toBeNull();
  });
  test('that is spelled otherwise than it was signed, though a decoder reads the same bytes', async () => {
    const token = await signed();
    expect(await openToken(keys, token, nowMs)).not.toBeNull();
    const last = token.at(-1) ?? '';
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    // Four letters decode to the same last byte.
    const first = alphabet.indexOf(last) & ~3;
    const others = [...alphabet.slice(first, first + 4)].filter((letter) => letter !== last);
    expect(others).toHaveLength(3);
    const [head, payload, seal = ''] = token.split('.');
    const spelled = [
      ...others.map((letter) => token.slice(0, -1) + letter),
      ...['=', '==', ' ', '\n', '\0', '.', 'A', '%3D'].map((more) => token + more),
      ` ${token}`,
      `${head}=.${payload}.${seal}`,
      `${head}.${payload}=.${seal}`,
      `${head}.${payload}.${seal.slice(0, 20)} ${seal.slice(20)}`,
      `${head}.${payload}.${Buffer.from(seal, 'base64url').toString('base64')}`,
    ];
    for (const text of spelled) expect([text, await openToken(keys, text, nowMs)]).toEqual([text, null]);
  });
  test('where this server has no key, and none can be signed', async () => {
    expect(await openToken([], await signed(), nowMs)).toBeNull();
    expect(await signToken([], { scope, lifeMs: 1000, nowMs })).toBeNull();
  });
  test.each(['', '.', 'a.b.c', 'x'.repeat(9_000)])('that is none: %#', async (text) => {
    expect(await openToken(keys, text, nowMs)).toBeNull();
  });
});
