/** A token's owner, and whether tokens are asked for, on real agents with and without ACLs. */
import { createServer } from 'node:http';
import { afterAll, describe, expect, test } from 'vitest';
import { isProblem } from '@/lib/domain/problem';
import { startConsul } from '@/test/support/consul';
import { startFaultProxy } from '@/test/support/fault-proxy';
import { until } from '@/test/support/until';
import { backendOn, makeToken, readerOf, revoke } from './tokens';

const [guarded, open] = await Promise.all([startConsul({ acl: true }), startConsul()]);
const backends: { close(): void }[] = [];
const on = (...args: Parameters<typeof backendOn>) => {
  const backend = backendOn(...args);
  backends.push(backend);
  return backend;
};
afterAll(async () => {
  for (const backend of backends) backend.close();
  await Promise.all([guarded.stop(), open.stop()]);
});
const signal = () => AbortSignal.timeout(10_000);

describe('whether tokens are asked for', () => {
  test('is on with a token, without one, and with one that Consul does not know; off where ACLs are off', async () => {
    expect(await on(guarded, { token: guarded.token }).accessControl(signal())).toBe('on');
    expect(await on(guarded).accessControl(signal())).toBe('on');
    expect(await on(guarded, { token: 'no-such-token' }).accessControl(signal())).toBe('on');
    expect(await on(open).accessControl(signal())).toBe('off');
    expect(await on(open, { token: 'no-such-token' }).accessControl(signal())).toBe('off');
  });

  test('is not known of an agent that is not there, and of one that does not answer', async () => {
    expect(await on({ address: '127.0.0.1:9' }).accessControl(signal())).toBe('unknown');
    const proxy = await startFaultProxy(guarded.address);
    try {
      proxy.stall();
      expect(await on({ address: proxy.address }).accessControl(AbortSignal.timeout(300))).toBe('unknown');
    } finally {
      await proxy.close();
    }
  });
});

describe('signing in', () => {
  const backend = on(guarded);

  test('a token is identified by its accessor, and called by its description, else by its policies', async () => {
    const named = await makeToken(guarded, readerOf('a/'), { description: 'night shift' });
    expect(await backend.signIn(named.secret, signal())).toEqual({
      id: named.accessor,
      name: 'night shift',
      endsAtMs: null,
    });
    const plain = await makeToken(guarded, readerOf('a/'));
    expect(await backend.signIn(plain.secret, signal())).toMatchObject({
      id: plain.accessor,
      name: expect.stringMatching(/^policy-/),
    });
  });

  test('a token that expires says when', async () => {
    const token = await makeToken(guarded, readerOf('a/'), { ttl: '60s' });
    const before = Date.now();
    const said = await backend.signIn(token.secret, signal());
    if (isProblem(said)) throw new Error(said.code);
    expect(said.endsAtMs).toBeGreaterThan(before + 30_000);
    expect(said.endsAtMs).toBeLessThan(before + 90_000);
  });

  test("the word that stands for Consul's anonymous token is no sign-in, at any rights of strangers", async () => {
    expect(await backend.signIn('anonymous', signal())).toEqual({
      code: 'signed-out',
      why: { code: 'token-unknown', facts: {} },
    });
  });

  test('one that was revoked is not known from then on', async () => {
    const token = await makeToken(guarded, readerOf('a/'));
    expect(isProblem(await backend.signIn(token.secret, signal()))).toBe(false);
    await revoke(guarded, token);
    const said = await until(
      async () => {
        const said = await backend.signIn(token.secret, signal());
        return isProblem(said) && said;
      },
      { what: 'the token is forgotten' },
    );
    expect(said).toEqual({ code: 'signed-out', why: { code: 'token-unknown', facts: {} } });
  });

  test('a server that has just started, and knows no token yet, signs no one out', async () => {
    // The moment is too short to be met with a real agent: its answers then, word for word.
    let leader = '""';
    const starting = createServer((request, response) => {
      if (request.url?.startsWith('/v1/status/leader'))
        return response.writeHead(200, { 'content-type': 'application/json' }).end(leader);
      response.writeHead(403);
      return response.end('ACL not found');
    });
    await new Promise<void>((resolve) => starting.listen(0, '127.0.0.1', resolve));
    const { port } = starting.address() as { port: number };
    try {
      const there = on({ address: `127.0.0.1:${port}` });
      expect(await there.signIn('any', signal())).toMatchObject({ code: 'no-leader' });
      leader = '"127.0.0.1:8300"';
      expect(await there.signIn('any', signal())).toMatchObject({ code: 'signed-out' });
    } finally {
      starting.close();
    }
  });

  test.each([
    ['nothing', ''],
    ['one that nobody made', '00000000-1111-2222-3333-444444444444'],
    ['a line break, which would end the header', 'abc\r\nx-other: 1'],
    ['a character that no header holds', 'tök€n'],
    ['a space', 'a b'],
    ['more than a header takes', 'x'.repeat(20_000)],
  ])('%s is no token, and nothing breaks', async (_what, secret) => {
    expect(await backend.signIn(secret, signal())).toEqual({
      code: 'signed-out',
      why: { code: 'token-unknown', facts: {} },
    });
  });

  test('the management token signs in as what it is', async () => {
    expect(await backend.signIn(guarded.token ?? '', signal())).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });

  test('without access control there is nothing to sign in to, and an outage is no refusal of the token', async () => {
    expect(await on(open).signIn('whatever', signal())).toMatchObject({
      code: 'invalid',
      why: { code: 'no-sign-in-here' },
    });
    expect(await on({ address: '127.0.0.1:9' }).signIn('whatever', signal())).toMatchObject({
      code: 'unavailable',
    });
  });

  test('no problem that comes of it repeats the token', async () => {
    const secret = 'hush-5a0d1c3e';
    for (const backend of [on(guarded), on(open), on({ address: '127.0.0.1:9' })])
      expect(JSON.stringify(await backend.signIn(secret, signal()))).not.toContain(secret);
  });
});
