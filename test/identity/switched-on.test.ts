/** The moment in which Consul begins to ask for tokens: two real agents behind one address, one after the other. */
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { listen, serverOn } from './server';

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
const here = serverOn({ address: `127.0.0.1:${port}` }, { token: guarded.token });
const ends = new AbortController();

afterAll(async () => {
  ends.abort();
  await here.close();
  front.close();
  for (const socket of sockets) socket.destroy();
  await Promise.all([open.stop(), guarded.stop()]);
});

test("a viewer from before access control does not look on with the server's token", async () => {
  const stream = listen(await here.events({}, ends.signal));
  await until(() => stream.text().includes('event: snapshot'), { what: 'a stranger looks' });
  target = guarded.address;
  for (const socket of sockets) socket.destroy();
  await until(async () => (await here.snapshot({})).status === 401, { what: 'tokens are asked for' });
  const [client, seen] = [guarded.client(), stream.text().length];
  expect(await stream.ended).toContain('event: again');
  const session = await client.createSession({
    name: 'hush',
    ttlMs: null,
    behavior: 'release',
    lockDelayMs: 0,
    checks: [],
  });
  await client.acquire({ key: 'hush/leader', value: Buffer.from(''), flags: '0', session });
  await until(() => here.runtime.viewpoints.own.hub.snapshot().locks.length === 1, {
    what: 'the server sees it',
  });
  expect(stream.text().slice(seen)).not.toContain('hush');
  expect((await here.events({}, ends.signal)).status).toBe(401);
});
