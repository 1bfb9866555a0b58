/** A page that was made for one person, in a browser where another is signed in: through the one way into the API. */
import { afterAll, describe, expect, test, vi } from 'vitest';
import type { Entry } from '@/lib/server/entry/entry';
import { startConsul } from '@/test/support/consul';
import { serverOn, signedIn } from './server';
import { makeToken, operatorOf } from './tokens';

vi.mock('server-only', () => ({}));
const consul = await startConsul({ acl: true });
const here = serverOn(consul);
vi.mock('@/lib/server/runtime', () => ({ runtime: () => here.runtime }));
const { enter } = await import('@/lib/server/entry/entry');
const token = await makeToken(consul, operatorOf('a/'));
const { cookie = '' } = await signedIn(here, token.secret);

afterAll(async () => {
  await here.close();
  await consul.stop();
});

/** Comes with the cookie. `as`: the person that the page names; `where`: the place of that name. */
async function ask(kind: Entry, where: 'header' | 'address' | 'nowhere', as: string) {
  const said = encodeURIComponent(as);
  const headers = {
    host: 'localhost:3000',
    cookie,
    ...(where === 'header' ? { 'x-signalbox-as': said } : {}),
  };
  const url = `http://localhost:3000/api/v1/any${where === 'address' ? `?as=${said}` : ''}`;
  let answered: string | null = null;
  const answer = await enter(kind, new Request(url, { headers }), ({ identity }) => {
    answered = identity.kind === 'token' ? identity.id : identity.kind;
    return new Response('{}');
  });
  return { status: answer.status, answered, text: await answer.text() };
}

describe.each<Entry>(['read', 'stream', 'write'])('a request to %s', (kind) => {
  test.each([
    ['header', `token:somebody-else`],
    ['address', `token:somebody-else`],
    ['header', 'anonymous'],
  ] as const)('is not answered where its page is for another: in its %s, %s', async (where, as) => {
    const { status, answered, text } = await ask(kind, where, as);
    expect([status, answered]).toEqual([401, null]);
    expect(text).toContain('somebody-else');
  });
  test.each(['header', 'address', 'nowhere'] as const)(
    'is answered for its own person: %s',
    async (where) => {
      const { status, answered } = await ask(kind, where, `token:${token.accessor}`);
      expect([status, answered]).toEqual([200, token.accessor]);
    },
  );
});
