/** Signing in, looking, being shown out: the server's own parts in front of a real agent with ACLs. */
import { afterAll, describe, expect, test } from 'vitest';
import { startConsul } from '@/test/support/consul';
import { storesHere } from '@/test/support/stores';
import { until } from '@/test/support/until';
import { listen, type Server, serverOn, signedIn } from './server';
import { makeToken, operatorOf, readerOf, revoke } from './tokens';

const kinds = await storesHere();
const [consul, open] = await Promise.all([startConsul({ acl: true }), startConsul()]);
const servers: Server[] = [];
const server = (...args: Parameters<typeof serverOn>) => {
  const one = serverOn(...args);
  servers.push(one);
  return one;
};
afterAll(async () => {
  for (const one of servers) {
    await one.close();
    expect(one.bugs).toEqual([]);
  }
  await Promise.all([consul.stop(), open.stop()]);
});
const ends = new AbortController();
afterAll(() => ends.abort());

const json = async (response: Response) => ({ status: response.status, ...(await response.json()) });

describe('signing in', () => {
  const here = server(consul);

  test('before it there is nothing to see, and every caller may ask whether', async () => {
    expect(await json(await here.session('GET'))).toMatchObject({
      status: 200,
      identity: { kind: 'anonymous' },
      accessControl: 'on',
      maySee: false,
      why: { code: 'sign-in-to-see' },
      writes: { allowed: false, reason: { code: 'sign-in-to-act' } },
      endsAtMs: null,
      idleEndsAtMs: null,
    });
    expect((await here.snapshot({})).status).toBe(401);
  });

  test('with a token that Consul knows gives a cookie that no script reads, and the token is in nothing else', async () => {
    const token = await makeToken(consul, operatorOf('a/'), { description: 'ann' });
    const response = await here.session('POST', {}, { token: token.secret });
    const cookie = response.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^signalbox=[^;]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/);
    const told = await response.text();
    expect(JSON.parse(told)).toMatchObject({
      identity: { kind: 'token', id: token.accessor, name: 'ann' },
      maySee: true,
      why: null,
      writes: { allowed: true },
    });
    const headers = { cookie: cookie.split(';')[0] ?? '' };
    expect(await json(await here.session('GET', headers))).toMatchObject({
      identity: { kind: 'token', id: token.accessor },
    });
    const snapshot = await (await here.snapshot(headers)).text();
    for (const text of [cookie, told, snapshot, here.log()]) expect(text).not.toContain(token.secret);
    expect(here.log()).toContain(token.accessor);
  });

  test.each([
    ['that nobody made', { token: '00000000-1111-2222-3333-444444444444' }, 401, 'token-unknown'],
    ['with a line break', { token: 'a\r\nb' }, 401, 'token-unknown'],
    ['of nothing', { token: '  ' }, 400, 'request-not-understood'],
    ['that is no text', { token: 7 }, 400, 'request-not-understood'],
    ['with more beside it', { token: 'hush-5a0d', next: '/' }, 400, 'request-not-understood'],
  ])('with a token %s gives no cookie', async (_what, body, status, why) => {
    const response = await here.session('POST', {}, body);
    expect(response.headers.get('set-cookie')).toBeNull();
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ status, why: { code: why } });
    if (typeof body.token === 'string' && body.token.trim() !== '') expect(text).not.toContain(body.token);
  });

  test('is on record with who and from where, refused ones too, and no row holds a token', async () => {
    const token = await makeToken(consul, readerOf('a/'));
    const before = here.rows.length;
    const cookie = await signedIn(here, token.secret);
    await here.session('POST', {}, { token: 'hush-5a0d' });
    await here.session('DELETE', cookie);
    await here.session('DELETE', cookie);
    const rows = here.rows.slice(before);
    expect(rows).toMatchObject([
      { kind: 'sign-in', who: { kind: 'token', id: token.accessor } },
      { kind: 'sign-in-refused', who: { kind: 'anonymous' }, detail: { code: 'signed-out' } },
      { kind: 'sign-out', who: { kind: 'token', id: token.accessor }, thread: rows[0]?.thread },
    ]);
    for (const secret of [token.secret, 'hush-5a0d']) expect(JSON.stringify(rows)).not.toContain(secret);
  });

  test('without access control says that there is nothing to sign in to', async () => {
    expect(await json(await server(open).session('POST', {}, { token: 'x' }))).toMatchObject({
      status: 400,
      why: { code: 'no-sign-in-here' },
    });
  });

  test('a cookie that was changed is taken away, and is never an error', async () => {
    const response = await here.session('GET', { cookie: 'signalbox=not.one.of.our.seals' });
    expect(response.headers.get('set-cookie')).toMatch(/^signalbox=; .*Max-Age=0/);
    expect(await json(response)).toMatchObject({ status: 200, why: { code: 'sign-in-not-readable' } });
  });
});

describe('being shown out', () => {
  const here = server(consul, { token: consul.token });

  test('a token that is revoked ends every stream of it within seconds, and answers nothing any more', async () => {
    const token = await makeToken(consul, readerOf('a/'));
    const other = await makeToken(consul, readerOf('a/'));
    const [cookie, bearer, staying] = [
      await signedIn(here, token.secret),
      { authorization: `Bearer ${token.secret}` },
      await signedIn(here, other.secret),
    ];
    const streams = [
      listen(await here.events(cookie, ends.signal)),
      listen(await here.events(bearer, ends.signal)),
    ];
    const stays = listen(await here.events(staying, ends.signal));
    await until(() => streams.every((one) => one.text().includes('event: snapshot')), { what: 'they look' });
    await revoke(consul, token);
    for (const text of await Promise.all(streams.map(({ ended }) => ended)))
      expect(text.trimEnd().split('\n\n').at(-1)).toMatch(/^event: signed-out\ndata: .*"token-unknown"/);
    for (const headers of [cookie, bearer])
      expect(await json(await here.snapshot(headers))).toMatchObject({
        status: 401,
        code: 'signed-out',
        why: { code: 'token-unknown' },
      });
    expect((await here.snapshot(staying)).status).toBe(200);
    expect(stays.text()).not.toContain('signed-out');
  });

  test('a sign-out ends the streams of that sign-in alone, and the cookie is worth nothing any more', async () => {
    const token = await makeToken(consul, readerOf('a/'));
    const [first, second] = [await signedIn(here, token.secret), await signedIn(here, token.secret)];
    const mine = listen(await here.events(first, ends.signal));
    const theirs = listen(await here.events(second, ends.signal));
    await until(() => [mine, theirs].every((one) => one.text().includes('event: snapshot')), {
      what: 'they look',
    });
    const left = await here.session('DELETE', first);
    expect([left.status, left.headers.get('set-cookie')]).toEqual([
      204,
      expect.stringContaining('Max-Age=0'),
    ]);
    expect(await mine.ended).toContain('"signed-out-elsewhere"');
    expect((await here.snapshot(first)).status).toBe(401);
    expect((await here.snapshot(second)).status).toBe(200);
    expect(theirs.text()).not.toContain('signed-out');
    expect((await here.session('DELETE', first)).status).toBe(204);
  });

  for (const kind of kinds)
    test(`a cookie that was signed out is worth nothing after a restart with the same secret, on ${kind.name}`, async () => {
      const where = await kind.place();
      const token = await makeToken(consul, readerOf('a/'));
      const whileRunning = async <T>(run: (server: Server) => Promise<T>) => {
        const store = kind.open(where);
        const one = serverOn(consul, { variables: { SIGNALBOX_SECRET: 'k'.repeat(32) }, store });
        const result = await run(one);
        await one.close();
        await store.close();
        return result;
      };
      const [out, stays] = await whileRunning(async (one) => {
        const cookies = [await signedIn(one, token.secret), await signedIn(one, token.secret)] as const;
        expect((await one.session('DELETE', cookies[0])).status).toBe(204);
        return cookies;
      });
      await whileRunning(async (one) => {
        expect(await json(await one.snapshot(out))).toMatchObject({
          status: 401,
          why: { code: 'signed-out-elsewhere' },
        });
        expect((await one.snapshot(stays)).status).toBe(200);
      });
    });

  test('a new sign-in with the same browser leaves nothing of the old one', async () => {
    const [ann, bob] = [await makeToken(consul, readerOf('a/')), await makeToken(consul, readerOf('b/'))];
    const before = await signedIn(here, ann.secret);
    const stream = listen(await here.events(before, ends.signal));
    await here.session('POST', before, { token: bob.secret });
    expect(await stream.ended).toContain('event: signed-out');
    expect((await here.snapshot(before)).status).toBe(401);
  });

  test('a touch seals new times into the cookie; asking alone does not', async () => {
    const token = await makeToken(consul, readerOf('a/'));
    const cookie = await signedIn(here, token.secret);
    const before = await json(await here.session('GET', cookie));
    await until(() => Date.now() > before.idleEndsAtMs - 60 * 60_000 + 5, { what: 'some time passes' });
    expect((await here.session('GET', cookie)).headers.get('set-cookie')).toBeNull();
    const touched = await here.session('PUT', cookie);
    expect(touched.headers.get('set-cookie')).toMatch(/^signalbox=[^;]+; .*HttpOnly/);
    const after = await json(touched);
    expect(after.idleEndsAtMs).toBeGreaterThan(before.idleEndsAtMs);
    expect(after.endsAtMs).toBe(before.endsAtMs);
  });

  test("another person's page keeps no sign-in awake", async () => {
    const token = await makeToken(consul, readerOf('a/'));
    const cookie = await signedIn(here, token.secret);
    const touch = (as: string) => here.session('PUT', { ...cookie, 'x-signalbox-as': as });
    const refused = await touch('token%3Asomebody-else');
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([401, null]);
    expect((await touch(`token%3A${token.accessor}`)).status).toBe(200);
  });

  test('a token that Consul lets expire ends the sign-in no later', async () => {
    const token = await makeToken(consul, readerOf('a/'), { ttl: '60s' });
    const told = await json(await here.session('GET', await signedIn(here, token.secret)));
    expect(told.endsAtMs).toBeLessThan(Date.now() + 61_000);
  });

  test('an agent that is gone for a while signs no one out', async () => {
    const lonely = await startConsul({ acl: true });
    const there = server(lonely);
    const token = await makeToken(lonely, readerOf('a/'));
    const cookie = await signedIn(there, token.secret);
    const stream = listen(await there.events(cookie, ends.signal));
    await until(() => stream.text().includes('"state":"live"'), { what: 'it is live' });
    await lonely.kill();
    await until(() => stream.text().includes('"state":"down"'), { what: 'it is down' });
    expect((await there.snapshot(cookie)).status).toBe(200);
    await lonely.restart();
    await until(() => stream.text().split('"state":"down"').at(-1)?.includes('"state":"live"'), {
      what: 'it is live again',
      timeoutMs: 30_000,
    });
    expect(stream.text()).not.toContain('signed-out');
  });
});
