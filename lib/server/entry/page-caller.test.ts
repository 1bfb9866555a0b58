import { beforeEach, expect, test, vi } from 'vitest';
import { type Problem, ProblemError } from '@/lib/domain/problem';
import { budgets, createLimits } from '@/lib/server/http/limits';
import { pageCaller, pageSession } from './page-caller';

const asked = vi.hoisted(() => ({ headers: new Headers(), runtime: {} as unknown }));
vi.mock('server-only', () => ({}));
vi.mock('next/headers', () => ({ headers: async () => asked.headers }));
vi.mock('next/navigation', () => ({
  redirect: (to: string) => {
    throw new Error(`sent to ${to}`);
  },
}));
vi.mock('@/lib/server/runtime', () => ({ runtime: () => asked.runtime }));

/** A full server whose backend asks for credentials and knows one token. */
beforeEach(() => {
  const full: Problem = { code: 'busy', why: { code: 'too-many-people', facts: { max: 1 } } };
  asked.headers = new Headers({ 'x-signalbox-address': '/lock?key=a%2Fb' });
  asked.runtime = {
    env: { mode: 'console', actions: 'on', anonymous: false, loopback: true },
    backend: { hasOwnCredential: true },
    arrivals: () => ({ address: null, person: null, secure: false }),
    accessControl: async () => 'on',
    credentials: {
      knows: (secret: string) => secret === 'known',
      whoIs: async (secret: string) =>
        secret === 'known'
          ? { id: 'a', name: 'ann', endsAtMs: null }
          : ({ code: 'signed-out', why: { code: 'token-unknown', facts: {} } } satisfies Problem),
    },
    signIns: {},
    viewpoints: {
      of: () => {
        throw new ProblemError(full);
      },
    },
    limits: createLimits(),
  };
});

test('a caller who may not look is sent to sign in and back', async () => {
  await expect(pageCaller()).rejects.toThrow('sent to /login?next=%2Flock%3Fkey%3Da%252Fb');
});

test('a problem that a sign-in does not solve is for the page to show, and no error of the page', async () => {
  asked.headers.set('authorization', 'Bearer known');
  expect(await pageCaller()).toMatchObject({ code: 'busy', why: { code: 'too-many-people' } });
  asked.headers.set('authorization', 'Bearer two words');
  expect(await pageCaller()).toMatchObject({ code: 'invalid' });
});

test('a caller who opens pages in a loop is refused, for a page costs more than an answer of the API', async () => {
  asked.headers.set('authorization', 'Bearer known');
  const sizes = { ...budgets, read: { ...budgets.read, person: 2 } };
  asked.runtime = {
    ...(asked.runtime as object),
    viewpoints: { of: () => ({}) },
    limits: createLimits({ sizes }),
  };
  for (let i = 0; i < 2; i += 1) expect(await pageCaller()).toMatchObject({ by: 'bearer' });
  expect(await pageCaller()).toMatchObject({ code: 'busy', why: { code: 'too-often' } });
});

test('the page of signing in says what is wrong with a token that came with the request itself', async () => {
  asked.headers.set('authorization', 'Bearer of-a-proxy');
  expect(await pageSession()).toMatchObject({
    visitor: { identity: { kind: 'anonymous' }, maySee: false, why: { code: 'token-unknown' } },
    problem: { code: 'signed-out', why: { code: 'token-unknown' } },
  });
});
