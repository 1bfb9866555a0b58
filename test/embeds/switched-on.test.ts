/** Shares where Consul asks for no tokens, and the moment in which it begins to: two real agents behind one address. */
import { connect, createServer, type Socket } from 'node:net';
import { SignJWT } from 'jose';
import { afterAll, expect, test, vi } from 'vitest';
import { GET as list, POST as make } from '@/app/api/v1/grants/route';
import { GET as events } from '@/app/embed/v1/events/route';
import { GET as snapshot } from '@/app/embed/v1/snapshot/route';
import { runtime } from '@/lib/server/runtime';
import { heldLock } from '@/test/actions/stage';
import { serve } from '@/test/machines/served';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { follow } from './follow';

// It throws outside of Next's server layer; this process is a server of its own.
vi.mock('server-only', () => ({}));

const [open, guarded] = await Promise.all([startConsul(), startConsul({ acl: true })]);
let target = open.address;
const sockets = new Set<Socket>();
const front = createServer((from) => {
  const [host = '', port = ''] = target.split(':');
  const to = connect(Number(port), host);
  for (const [one, other] of [
    [from, to],
    [to, from],
  ] as const) {
    sockets.add(one);
    one.on('error', () => {}).on('close', () => other.destroy());
    one.pipe(other);
  }
});
await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
const { port } = front.address() as { port: number };
const key = '0123456789abcdef0123456789abcdef';
const here = await serve(
  { address: `127.0.0.1:${port}` },
  { CONSUL_HTTP_TOKEN: guarded.token ?? '', SIGNALBOX_EMBED_KEYS: `one:${key}` },
);

afterAll(async () => {
  await here.stop();
  front.close();
  for (const socket of sockets) socket.destroy();
  await Promise.all([open.stop(), guarded.stop()]);
});

test('a share is shown by the server without access control, and by no one once it is on', async () => {
  for (const consul of [open, guarded]) await heldLock(consul.client(), { key: 'a/leader', value: 'v' });
  const scope = { view: 'board', prefix: 'a/' };
  await until(() => runtime().viewpoints.own.hub.snapshot().locks.length === 1, { what: 'the lock' });
  const made = await here.ask(make, '/api/v1/grants', { method: 'POST', body: { kind: 'link', scope } });
  expect(made.status).toBe(201);
  const { grant, secret } = (await made.json()) as { grant: object; secret: string };
  expect(grant).toMatchObject({ state: 'active', cause: null, tokenEndsAtMs: null });
  const token = await new SignJWT({ scope })
    .setProtectedHeader({ alg: 'HS256', kid: 'one' })
    .setAudience('signalbox-embed')
    .setIssuedAt()
    .setExpirationTime('10m')
    .sign(new TextEncoder().encode(key));
  const ways = [`?share=${secret}`, `?token=${token}`];
  const read = (query: string) => here.ask(snapshot, `/embed/v1/snapshot${query}`);
  const streams = [];
  for (const query of ways) {
    expect(await (await read(query)).text()).toContain('a/leader');
    streams.push(await follow(await here.ask(events, `/embed/v1/events${query}`)));
  }
  target = guarded.address;
  for (const socket of sockets) socket.destroy();
  await Promise.all(streams.map(({ ended }) => ended));
  for (const query of ways)
    await until(async () => (await read(query)).status === 404, { what: 'nothing is shown' });
  const headers = { authorization: `Bearer ${guarded.token}` };
  const { grants } = (await (await here.ask(list, '/api/v1/grants', { headers })).json()) as {
    grants: object[];
  };
  expect(grants).toMatchObject([{ state: 'paused', cause: 'no-token' }]);
});
