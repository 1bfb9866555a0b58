/** Cookies, signed tokens and cursors that were forged, or changed afterwards. */
import { createHmac, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { ProblemError } from '@/lib/domain/problem';
import type { Scope } from '@/lib/domain/sharing/grant';
import { same } from '@/lib/domain/world/change';
import { createCursors, plainCursor } from '@/lib/server/audit/cursor';
import { createSeal, readCookie, type SignIn } from '@/lib/server/identity/seal';
import { openToken, signToken, tokenAudience } from '@/lib/server/sharing/grant-token';
import { anyJson, anyText, mutatedText } from '@/quality/fuzz/bytes';
import { claim, target, type Verdict } from '@/quality/fuzz/target';

const secret = 'a secret of thirty-two characters!';
const seal = createSeal([secret]);
const signIn: SignIn = {
  id: 'sixteen-characters-and-more',
  secret: randomUUID(),
  who: { id: 'accessor', name: 'Ann' },
  endsAtMs: 2_000_000,
  idleEndsAtMs: 1_000_000,
};
const sealed = await seal.seal(signIn);
const others = await createSeal(['another secret of more than thirty-two']).seal(signIn);

const keys = [
  { id: 'first', secret: 'k'.repeat(40) },
  { id: 'second', secret: 'l'.repeat(40) },
] as const;
const nowMs = 1_800_000_000_000;
const scope: Scope = {
  view: 'board',
  prefix: 'jobs',
  source: 'consul',
  datacenter: null,
  values: false,
  sessions: true,
  frames: [],
  label: '',
};
const signed = (await signToken(keys, { scope, lifeMs: 60_000, nowMs }))?.token ?? '';

const part = (of: unknown) => Buffer.from(JSON.stringify(of) ?? '').toString('base64url');
const header = fc.oneof(
  fc.record(
    {
      alg: fc.constantFrom<unknown>(
        'HS256',
        'none',
        'None',
        'HS512',
        'RS256',
        'dir',
        '',
        null,
        ['HS256'],
        'hs256',
      ),
      kid: fc.constantFrom<unknown>('first', 'second', '__proto__', '', null, 0, '../first', ['first']),
      typ: fc.constantFrom<unknown>('JWT', 'x', null),
      crit: fc.constantFrom<unknown>(['exp'], [], 'b64'),
      b64: fc.constantFrom<unknown>(true, false),
      zip: fc.constant('DEF'),
      jwk: fc.constant({ kty: 'oct', k: 'AAAA' }),
    },
    { requiredKeys: [], noNullPrototype: true },
  ),
  anyJson,
);
const S = nowMs / 1000;
const claims = fc.oneof(
  fc.record(
    {
      scope: fc.oneof(fc.constant<unknown>(scope), fc.constant<unknown>({ ...scope, view: 'all' }), anyJson),
      aud: fc.constantFrom<unknown>(tokenAudience, 'other', [tokenAudience], null),
      iat: fc.constantFrom<unknown>(S, S - 1e9, S + 1e9, 0, 'x', null, 1e300),
      exp: fc.constantFrom<unknown>(S + 60, S - 60, S + 1e9, 1e300, 'x', null, -1),
      nbf: fc.constantFrom<unknown>(S - 1, S + 1e6, 'x'),
    },
    { requiredKeys: [], noNullPrototype: true },
  ),
  anyJson,
);

/**
 * Handmade tokens, signed with a key of the server or not at all, because a portal with a key may sign such a thing by
 * mistake.
 */
const handmade = fc
  .tuple(
    header,
    claims,
    fc.constantFrom('first', 'second', 'none', 'other'),
    fc.constantFrom('sha256', 'sha512'),
  )
  .map(([head, body, by, hash]) => {
    const said = `${part(head)}.${part(body)}`;
    const key = keys.find((one) => one.id === by)?.secret ?? (by === 'other' ? 'o'.repeat(40) : null);
    const mark = key === null ? '' : createHmac(hash, key).update(said).digest('base64url');
    return { token: `${said}.${mark}`, head, body, by, hash };
  });

const cursors = createCursors(secret);
const cursor = cursors.seal(1_234, 'ann');

export const tokenTargets = [
  target({
    name: 'cookies',
    guarantee: 'A foreign or changed sealed sign-in opens nothing, in any cookie header.',
    inputs: fc.oneof(mutatedText([sealed, others]), anyText),
    check: async (text) => {
      const opened = await seal.open(text);
      claim(opened === null || same(opened, signIn), 'a changed cookie opened');
      claim((await seal.open(others)) === null, 'a cookie of another server opened');
      readCookie(new Headers({ cookie: encodeURIComponent(text.toWellFormed()) }), true);
      return opened === null ? 'refused' : 'taken';
    },
    share: 0.3,
  }),
  target({
    name: 'tokens',
    guarantee:
      'A signed token grants its scope or nothing: not with another algorithm, key or audience, without an end, or with one too far away.',
    inputs: fc.oneof(
      mutatedText([signed]).map((token) => ({ token, head: null, body: null, by: '', hash: '' })),
      anyText.map((token) => ({ token, head: null, body: null, by: '', hash: '' })),
      handmade,
    ),
    check: async ({ token, head, body, by, hash }) => {
      const opened = await openToken(keys, token, nowMs);
      if (opened === null) return 'refused';
      claim(same(opened.scope, scope), 'another scope than was signed');
      claim(opened.endsAtMs > nowMs - 10_000, 'it has ended');
      if (body === null) return 'taken';
      const { alg, kid, b64 } = head as Record<string, unknown>;
      const { aud, iat, exp, nbf } = body as Record<string, unknown>;
      claim(alg === 'HS256' && hash === 'sha256' && kid === by && b64 !== false, 'signed in another way');
      claim(aud === tokenAudience || same(aud, [tokenAudience]), 'for somebody else');
      claim(iat === S && exp === S + 60 && nbf !== S + 1e6, 'at another time');
      return 'taken';
    },
    share: 0.3,
  }),
  target({
    name: 'cursors',
    guarantee: 'A place in the audit that was sealed for another person is refused.',
    inputs: fc.tuple(fc.oneof(mutatedText([cursor]), anyText), fc.constantFrom('ann', 'bob', '')),
    check: ([text, person]) => {
      let verdict: Verdict = 'refused';
      for (const open of [() => cursors.open(text, person), () => plainCursor(text)])
        try {
          const place = open();
          claim(Number.isSafeInteger(place) && place >= 0, 'a place that is none');
          if (open.toString().includes('person'))
            claim(place === 1_234 && person === 'ann', 'a changed cursor opened');
          verdict = 'taken';
        } catch (error) {
          if (!(error instanceof ProblemError)) throw error;
        }
      return verdict;
    },
  }),
];
