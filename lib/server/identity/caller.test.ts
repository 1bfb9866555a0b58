import { beforeEach, describe, expect, test } from 'vitest';
import type { AccessControl } from '@/lib/domain/identity';
import { isProblem, ProblemError } from '@/lib/domain/problem';
import { createArrivals } from '@/lib/server/http/arrival';
import { createLimits, refusedFree } from '@/lib/server/http/limits';
import { readEnv } from '@/lib/server/process/env';
import { type CallerRuntime, callerOf, guestOf } from './caller';
import { createCredentials } from './credentials';
import { createEndedSignIns } from './ended-sign-ins';
import { createSeal, type SignIn } from './seal';
import { createSignIns } from './sign-ins';

/** A backend that knows two tokens, and viewpoints that only name their owner. */
function stage({
  variables = {},
  control = 'on',
  own = false,
}: {
  variables?: Record<string, string>;
  control?: AccessControl;
  own?: boolean;
} = {}) {
  const state = { nowMs: 1_000, down: false, known: new Set(['ann-token', 'bob-token']) };
  const now = () => state.nowMs;
  const env = readEnv(variables);
  const backend = {
    hasOwnCredential: own,
    signIn: async (secret: string) => {
      if (state.down) return { code: 'unavailable' } as const;
      if (!state.known.has(secret))
        return { code: 'signed-out', why: { code: 'token-unknown', facts: {} } } as const;
      return { id: `id of ${secret}`, name: secret.split('-')[0] ?? '', endsAtMs: null };
    },
  };
  const seal = createSeal(['k'.repeat(32)]);
  const endedSignIns = createEndedSignIns({ store: null, shared: false, now, log: { warn: () => {} } });
  const signIns = createSignIns({ now, idleMs: 60_000, endedSignIns });
  void signIns.close();
  const runtime = {
    env,
    backend,
    viewpoints: { own: 'own', of: (secret: string) => secret },
    arrivals: createArrivals(env),
    seal,
    signIns,
    credentials: createCredentials({ backend, now }),
    accessControl: async () => control,
    limits: createLimits(),
  } as unknown as CallerRuntime;
  const signIn = (more: Partial<SignIn> = {}): SignIn => ({
    id: 'sign-in-of-ann-0001',
    secret: 'ann-token',
    who: { id: 'id of ann-token', name: 'ann' },
    endsAtMs: 1_000_000,
    idleEndsAtMs: 60_000,
    ...more,
  });
  const cookie = async (more: Partial<SignIn> = {}) => ({
    cookie: `other=1; signalbox=${await seal.seal(signIn(more))}`,
  });
  const guest = (headers: Record<string, string> = {}) => guestOf(new Headers(headers), runtime);
  const caller = (headers: Record<string, string> = {}) => callerOf(new Headers(headers), runtime);
  const refusal = async (headers: Record<string, string> = {}) => {
    const thrown = await caller(headers).catch((error: unknown) => error);
    if (!(thrown instanceof ProblemError)) throw new Error('Nobody was refused.');
    return thrown.problem.why?.code ?? thrown.problem.code;
  };
  return { state, signIns, signIn, cookie, guest, caller, refusal };
}

let s: ReturnType<typeof stage>;
beforeEach(() => {
  s = stage();
});

describe('precedence', () => {
  test('our cookie is a person, who looks with their own token', async () => {
    const ann = await s.caller(await s.cookie());
    expect(ann).toMatchObject({
      identity: { kind: 'token', id: 'id of ann-token', name: 'ann' },
      by: 'cookie',
      viewpoint: 'ann-token',
      writes: { allowed: true },
      endsAtMs: 1_000_000,
      idleEndsAtMs: 60_000,
    });
  });

  test.each([
    { authorization: 'Bearer bob-token' },
    { authorization: 'bearer   bob-token ' },
    { 'x-consul-token': 'bob-token' },
    { authorization: 'Bearer bob-token', 'x-consul-token': 'bob-token' },
    { authorization: 'Basic cm9vdDpyb290', 'x-consul-token': 'bob-token' },
  ] as Record<string, string>[])("a program's header wins over the cookie", async (headers) => {
    const bob = await s.caller({ ...(await s.cookie()), ...headers });
    expect(bob).toMatchObject({ identity: { name: 'bob' }, by: 'bearer', viewpoint: 'bob-token' });
    expect(bob.discreet(['of bob-token and ann-token'])).toEqual(['of [redacted] and ann-token']);
  });

  test('two different tokens are no request at all', async () => {
    expect(await s.refusal({ authorization: 'Bearer bob-token', 'x-consul-token': 'ann-token' })).toBe(
      'request-not-understood',
    );
    expect(await s.refusal({ authorization: 'Bearer' })).toBe('request-not-understood');
  });

  test("a program's token that is not known is refused, and the cookie beside it does not step in", async () => {
    expect(await s.refusal({ ...(await s.cookie()), authorization: 'Bearer nobody' })).toBe('token-unknown');
  });

  test('without access control no token is looked at, and every caller is anonymous', async () => {
    const open = stage({ control: 'off' });
    open.state.known.clear();
    const presented: Record<string, string>[] = [await open.cookie(), { authorization: 'Bearer nobody' }, {}];
    for (const headers of presented)
      expect(await open.caller(headers)).toMatchObject({
        identity: { kind: 'anonymous' },
        by: 'nothing',
        viewpoint: 'own',
      });
  });
});

describe('programs with refused tokens', () => {
  const answersOf = async (secret: string, count: number) => {
    const answers = new Set<string>();
    for (let n = 0; n < count; n += 1) {
      // Each is checked again, as if it came ten seconds later.
      s.state.nowMs += 10_000;
      const by = { authorization: `Bearer ${secret}` };
      answers.add(
        await s.caller(by).then(
          () => 'answered',
          () => s.refusal(by),
        ),
      );
    }
    return [...answers];
  };

  test('beside one stale token in a loop, a valid token of the same address gets every answer', async () => {
    expect(await answersOf('revoked-token', refusedFree + 5)).toEqual(['token-unknown', 'too-often']);
    expect(await answersOf('ann-token', 95)).toEqual(['answered']);
  });

  test('guesses pause unknown tokens of their address, and no token that Consul has confirmed', async () => {
    expect(await answersOf('ann-token', 1)).toEqual(['answered']);
    for (let n = 0; n < refusedFree + 5; n += 1) await answersOf(`guess-${n}`, 1);
    expect(await answersOf('one-guess-more', 1)).toEqual(['too-often']);
    expect(await answersOf('bob-token', 1)).toEqual(['too-often']);
    expect(await answersOf('ann-token', 95)).toEqual(['answered']);
    s.state.known.delete('ann-token');
    s.state.nowMs += 60_000;
    expect(await s.refusal({ authorization: 'Bearer ann-token' })).toBe('token-unknown');
    expect(await s.refusal({ authorization: 'Bearer ann-token' })).toBe('too-often');
  });
});

describe('a cookie that holds no more', () => {
  test.each([
    ['changed on the way', { cookie: 'signalbox=abc.def.ghi.jkl.mno' }, 'sign-in-not-readable'],
    ['of bytes', { cookie: 'signalbox=%00%ff' }, 'sign-in-not-readable'],
  ])('%s is a stranger, never an error, and is to be taken away', async (_what, headers, why) => {
    expect(await s.guest(headers)).toMatchObject({
      identity: { kind: 'anonymous' },
      why: { code: why },
      spentCookie: true,
    });
    expect(await s.refusal(headers)).toBe(why);
    const thrown = await s.caller(headers).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ headers: { 'set-cookie': expect.stringContaining('Max-Age=0') } });
  });

  test('is not taken away where it was replaced: the answer could arrive after the new one, and take that', async () => {
    const cookie = await s.cookie();
    s.signIns.end(s.signIn());
    expect(await s.guest(cookie)).toMatchObject({
      spentCookie: false,
      why: { code: 'signed-out-elsewhere' },
    });
  });

  test('says why it has ended: idle, over, or signed out', async () => {
    expect(await s.refusal(await s.cookie({ idleEndsAtMs: 999 }))).toBe('signed-out-idle');
    expect(await s.refusal(await s.cookie({ endsAtMs: 999 }))).toBe('signed-out-expired');
    const cookie = await s.cookie();
    s.signIns.end(s.signIn());
    expect(await s.refusal(cookie)).toBe('signed-out-elsewhere');
  });

  test('of a token that Consul has forgotten is worth nothing', async () => {
    s.state.known.clear();
    expect(await s.refusal(await s.cookie())).toBe('token-unknown');
  });

  test('a token that cannot be checked now is believed: an outage signs no one out', async () => {
    s.state.down = true;
    expect(await s.caller(await s.cookie())).toMatchObject({ identity: { name: 'ann' }, by: 'cookie' });
    expect(await s.refusal({ authorization: 'Bearer ann-token' })).toBe('unavailable');
  });

  test('leaves the public view', async () => {
    s = stage({ variables: { SIGNALBOX_ANONYMOUS: 'on' } });
    expect(await s.caller(await s.cookie({ idleEndsAtMs: 999 }))).toMatchObject({
      identity: { kind: 'anonymous' },
      viewpoint: 'own',
      why: null,
      spentCookie: true,
      writes: { allowed: false, reason: { code: 'sign-in-to-act' } },
    });
  });
});

describe('a stranger', () => {
  test('sees nothing with access control, and learns why', async () => {
    expect(await s.refusal()).toBe('sign-in-to-see');
    const thrown = await s.caller().catch((error: unknown) => error);
    expect(thrown).toMatchObject({ httpStatus: 401, problem: { code: 'signed-out' } });
  });

  test("never looks by another caller's token", async () => {
    await s.caller(await s.cookie());
    expect(await s.refusal()).toBe('sign-in-to-see');
  });

  test('is not named by a header of their own making', async () => {
    s = stage({
      control: 'off',
      variables: { SIGNALBOX_TRUSTED_PROXY: '10.0.0.1', SIGNALBOX_IDENTITY_HEADER: 'x-user' },
    });
    expect(await s.caller({ 'x-user': 'root', 'x-forwarded-for': '1.1.1.1' })).toMatchObject({
      identity: { kind: 'anonymous' },
      address: null,
    });
  });
});

test('no answer about a person holds their token', async () => {
  const { viewpoint: _, signIn: __, ...told } = await s.caller(await s.cookie());
  expect(JSON.stringify(told)).not.toContain('"ann-token"');
  expect(isProblem(told)).toBe(false);
});
