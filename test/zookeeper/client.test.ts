/** The client on real servers: one alone, with TLS and a digest, and an ensemble that loses its leader. */
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isProblem } from '@/lib/domain/problem';
import { createSessionFacts } from '@/lib/providers/zookeeper/admin/session-facts';
import { createZkClient, type ZkLine } from '@/lib/providers/zookeeper/client/client';
import type { ZkEvent } from '@/lib/providers/zookeeper/client/message';
import type { Link } from '@/lib/providers/zookeeper/client/session';
import type { ZkSettings } from '@/lib/providers/zookeeper/client/settings';
import { newAuthority } from '@/test/support/certificate';
import { startFaultProxy } from '@/test/support/fault-proxy';
import { until } from '@/test/support/until';
import {
  noZooKeeper,
  startTestEnsemble,
  startTestZooKeeper,
  type ZooKeeperServer,
} from '@/test/support/zookeeper';
import { settingsOf, startWriter, type Writer } from './writer';

const absent = await noZooKeeper();
const signal = () => AbortSignal.timeout(20_000);
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Followed {
  readonly client: ZkLine;
  readonly links: Link[];
  readonly changes: ZkEvent[];
}
function clientOf(settings: ZkSettings): Followed {
  const client = createZkClient({ settings, now: Date.now, random: Math.random });
  closing.push(client.close);
  const links: Link[] = [];
  const changes: ZkEvent[] = [];
  client.listen({ link: (link) => links.push(link), change: (change) => changes.push(change) });
  return { client, links, changes };
}
const whenUp = (client: ZkLine) =>
  until(
    () => {
      const link = client.link();
      return link.state === 'up' && link;
    },
    { what: 'the client to be connected', timeoutMs: 40_000 },
  );
async function writerOf(settings: ZkSettings): Promise<Writer> {
  const writer = await startWriter(settings);
  closing.push(writer.close);
  return writer;
}
function good<T>(value: T): Exclude<T, null | { readonly code: unknown }> {
  if (value === null || isProblem(value)) throw new Error(JSON.stringify(value));
  return value as Exclude<T, null | { readonly code: unknown }>;
}

describe.skipIf(absent !== null)('the ZooKeeper client', () => {
  let server: ZooKeeperServer;
  beforeAll(async () => {
    server = await startTestZooKeeper({ admin: true });
  });

  test('nodes are read with exact ids, and what is missing is null', async () => {
    const { client } = clientOf(settingsOf(server.address));
    const writer = await writerOf(settingsOf(server.address));
    const path = await writer.enter('/reads', 'lock', 'me');
    const node = good(await client.read(path, signal()));
    expect(node).toMatchObject({
      path,
      stat: { ephemeralOwner: writer.session, version: 0, numChildren: 0 },
    });
    expect(String(node.data)).toBe('me');
    const folder = good(await client.read('/reads', signal()));
    expect(folder.stat).toMatchObject({ ephemeralOwner: '0', numChildren: 1 });
    expect(await client.read('/nowhere', signal())).toBeNull();
    expect([...good(await client.subtree('/reads', 10, signal())).keys()]).toEqual(['/reads', path]);
    expect(await client.subtree('/reads', 1, signal())).toMatchObject({
      why: { code: 'zookeeper-too-much' },
    });
    expect(good(await client.subtree('/nowhere', 1, signal())).size).toBe(0);
  });

  test('a key that is not of its certificate is a problem of the way there, and no end of the program', async () => {
    const { issue, pem } = newAuthority();
    const [one, two] = [issue(Date.now() + 60_000), issue(Date.now() + 60_000)];
    const tls = {
      ca: Buffer.from(pem),
      cert: Buffer.from(one.certPem),
      key: Buffer.from(two.keyPem),
      serverName: null,
    };
    const { client, links } = clientOf(settingsOf(server.address, { tls }));
    await until(() => links.some((link) => link.state === 'away' && link.problem !== null), {
      what: 'the problem',
    });
    expect(client.link()).toMatchObject({ problem: { code: 'unavailable', why: { code: 'not-reached' } } });
    const settings = settingsOf(server.address, { tls, admin: [new URL('https://127.0.0.1:1')] });
    const end = new AbortController();
    const facts = createSessionFacts(settings, Date.now);
    await facts.follow(() => end.abort(), end.signal);
    expect(facts.current().sessions).toBeNull();
  });

  test('pages of fewer servers than the ensemble has say nothing of who is missing on them', async () => {
    const factsOf = async (addresses: string) => {
      const end = new AbortController();
      const settings = settingsOf(addresses, { admin: [new URL(server.admin ?? '')] });
      const facts = createSessionFacts(settings, Date.now);
      await facts.follow(() => end.abort(), end.signal);
      return facts.current();
    };
    expect(await factsOf(server.address)).toMatchObject({ sessionsWhole: true, watchers: new Map() });
    const part = await factsOf(`${server.address},127.0.0.1:1`);
    expect(part).toMatchObject({ sessionsWhole: false, watchers: null });
    expect(part.sessions).not.toBeNull();
  });

  test('a write is carried out whole or not at all, and only on the version that was seen', async () => {
    const { client } = clientOf(settingsOf(server.address));
    const writer = await writerOf(settingsOf(server.address));
    await writer.create('/writes/a', { data: '1' });
    await writer.create('/writes/b');
    const set = (data: string) =>
      client.multi([{ op: 'setData', path: '/writes/a', version: 0, data: Buffer.from(data) }], signal());
    expect(await set('2')).toBe('done');
    expect(await set('3')).toEqual({ refused: 'bad-version', at: 0 });
    const both = (version: number) =>
      client.multi(
        [
          { op: 'check', path: '/writes/a', version },
          { op: 'setData', path: '/writes/a', version, data: Buffer.from('4') },
          { op: 'delete', path: '/writes/b', version: 0 },
        ],
        signal(),
      );
    expect(await both(0)).toEqual({ refused: 'bad-version', at: 0 });
    expect(String(good(await client.read('/writes/a', signal())).data)).toBe('2');
    expect(await both(1)).toBe('done');
    expect(await client.read('/writes/b', signal())).toBeNull();
    expect(await both(2)).toEqual({ refused: 'no-node', at: 2 });
    expect(String(good(await client.read('/writes/a', signal())).data)).toBe('4');
    expect(await client.multi([{ op: 'delete', path: '/writes', version: 0 }], signal())).toEqual({
      refused: 'not-empty',
      at: 0,
    });
  });

  test('one watch tells of every change below a root, in order, and of nothing outside of the chroot', async () => {
    const writer = await writerOf(settingsOf(server.address));
    await writer.create('/inside/root', { mode: 'persistent' });
    const { client, changes } = clientOf(settingsOf(server.address, { chroot: '/inside' }));
    expect(await client.follow('/root', signal())).toBe('followed');
    await writer.create('/outside');
    const path = await writer.enter('/inside/root/deep/er', 'lock');
    await writer.delete(path);
    await until(() => changes.at(-1)?.type === 'deleted', { what: 'the last change' });
    const own = path.slice('/inside'.length);
    expect(changes).toEqual([
      { type: 'created', path: '/root/deep' },
      { type: 'created', path: '/root/deep/er' },
      { type: 'created', path: own },
      { type: 'deleted', path: own },
    ]);
    const tree = await client.readAll(
      ['/'],
      { bounds: { nodesMax: 10, bytesMax: 10_000 }, skips: () => false },
      signal(),
    );
    expect([...good(tree).keys()].sort()).toEqual(['/', '/root', '/root/deep', '/root/deep/er']);
  });

  test('a digest opens what is closed to everyone else, and without it the answer is forbidden', async () => {
    const own = settingsOf(server.address, { digest: Buffer.from('me:hush') });
    const writer = await writerOf(own);
    // `auth` stands for whoever is asking.
    await writer.create('/closed', { for: ['auth', ''], data: 'x' });
    const { client } = clientOf(own);
    expect(String(good(await client.read('/closed', signal())).data)).toBe('x');
    const { client: stranger } = clientOf(settingsOf(server.address));
    expect(await stranger.read('/closed', signal())).toMatchObject({ code: 'forbidden' });
    const ops = [{ op: 'setData', path: '/closed', version: 0, data: Buffer.from('y') }] as const;
    expect(await stranger.multi(ops, signal())).toMatchObject({ code: 'forbidden' });
    // What a client may not read is left out of a whole read, and named.
    const hidden: string[] = [];
    const scope = {
      bounds: { nodesMax: 100, bytesMax: 100_000 },
      skips: () => false,
      hidden: (path: string) => void hidden.push(path),
    };
    expect(good(await stranger.readAll(['/closed'], scope, signal())).size).toBe(0);
    expect(hidden).toEqual(['/closed']);
  });

  test('a broken line is taken up on the same session, by itself', async () => {
    const proxy = await startFaultProxy(server.address);
    closing.push(proxy.close);
    const { client, links } = clientOf(settingsOf(proxy.address));
    const { sessionId } = await whenUp(client);
    for (const cut of [proxy.cut, proxy.reset]) {
      const told = links.length;
      cut();
      await until(() => links.slice(told).some(({ state }) => state === 'up'), {
        what: 'the next connection',
      });
      expect(await whenUp(client)).toMatchObject({ sessionId });
      expect(good(await client.read('/', signal())).path).toBe('/');
    }
    proxy.refuse();
    await until(() => client.link().state === 'away', { what: 'the end of the line' });
    const refused = await client.multi([{ op: 'delete', path: '/x', version: 0 }], signal());
    expect(refused, 'nothing was sent').toMatchObject({ code: 'unavailable' });
    proxy.accept();
    expect(await whenUp(client)).toMatchObject({ sessionId });
  });

  test('a write whose answer is lost is of unknown result, and a read is not available', async () => {
    const proxy = await startFaultProxy(server.address);
    closing.push(proxy.close);
    const { client } = clientOf(settingsOf(proxy.address));
    await whenUp(client);
    proxy.stall();
    const ops = [{ op: 'delete', path: '/nowhere', version: 0 }] as const;
    const outcomes = Promise.all([client.multi(ops, signal()), client.read('/', signal())]);
    proxy.reset();
    expect(await outcomes).toMatchObject([{ code: 'unknown-result' }, { code: 'unavailable' }]);
    proxy.resume();
    const given = new AbortController();
    await whenUp(client);
    proxy.stall();
    const late = client.multi(ops, given.signal);
    await whenUp(client);
    given.abort();
    expect(await late).toMatchObject({ code: expect.stringMatching(/unknown-result|unavailable/) });
  });

  test('what is no ZooKeeper ends a connection and nothing else', async () => {
    const proxy = await startFaultProxy(server.address);
    closing.push(proxy.close);
    proxy.answer({ status: 200, body: 'hello' });
    const { client, links } = clientOf(settingsOf(proxy.address));
    await until(() => links.some((link) => link.state === 'away' && link.problem !== null), {
      what: 'a refusal',
    });
    proxy.accept();
    await whenUp(client);
  });

  test('a server that is gone is not reached, and nothing listens there', async () => {
    const { client } = clientOf(settingsOf('127.0.0.1:1'));
    expect(await client.read('/', signal())).toMatchObject({
      code: 'unavailable',
      why: { code: 'not-reached', facts: { errno: 'ECONNREFUSED' } },
    });
  });

  test('after its session has ended the client has another, and knows that it is another', async () => {
    const proxy = await startFaultProxy(server.address);
    closing.push(proxy.close);
    const { client } = clientOf(settingsOf(proxy.address, { sessionMs: 1_000 }));
    const { sessionId, timeoutMs } = await whenUp(client);
    expect(timeoutMs).toBe(1_000);
    proxy.refuse();
    await until(async () => !(await server.ask('dump')).includes(`0x${sessionId}`), {
      what: 'the session to end',
    });
    proxy.accept();
    expect((await whenUp(client)).sessionId).not.toBe(sessionId);
  });
});

describe.skipIf(absent !== null)('the ZooKeeper client over TLS', () => {
  test('a certificate of the named authority is taken, another one is not, and a server that wants ours gets it', async () => {
    const authority = newAuthority();
    const ours = authority.issue(Date.now() + 3_600_000);
    const server = await startTestZooKeeper({ tls: authority, settings: { 'ssl.clientAuth': 'need' } });
    const address = `127.0.0.1:${server.ports.secure}`;
    const ca = Buffer.from(authority.pem);
    const [cert, key] = [Buffer.from(ours.certPem), Buffer.from(ours.keyPem)];
    const tls = { ca, cert, key, serverName: null };
    const { client } = clientOf(settingsOf(address, { tls }));
    await whenUp(client);
    expect(good(await client.read('/', signal())).path).toBe('/');
    const errnoOf = async (settings: ZkSettings) => {
      const { links } = clientOf(settings);
      const away = await until(() => links.find((link) => link.state === 'away' && link.problem !== null), {
        what: 'the refusal',
      });
      return away.state === 'away' ? away.problem?.why : null;
    };
    const stranger = Buffer.from(newAuthority().pem);
    expect(await errnoOf(settingsOf(address, { tls: { ...tls, ca: stranger } }))).toMatchObject({
      code: 'not-reached',
      facts: { errno: expect.stringMatching(/CERT|LEAF_SIGNATURE/) },
    });
    expect(await errnoOf(settingsOf(address, { tls: { ...tls, serverName: 'elsewhere' } }))).toMatchObject({
      facts: { errno: 'ERR_TLS_CERT_ALTNAME_INVALID' },
    });
    expect(await errnoOf(settingsOf(address, { tls: { ...tls, cert: null, key: null } }))).not.toBeNull();
    expect(await errnoOf(settingsOf(server.address, { tls }))).not.toBeNull();
    expect(await errnoOf(settingsOf(address))).not.toBeNull();
  });
});

describe.skipIf(absent !== null)('the ZooKeeper client on an ensemble', () => {
  test('the same session goes on when the leader is killed, and a server without a quorum is told from a dead one', async () => {
    const ensemble = await startTestEnsemble();
    const { client, links } = clientOf(settingsOf(ensemble.addresses, { sessionMs: 20_000 }));
    const { sessionId } = await whenUp(client);
    const writer = await writerOf(settingsOf(ensemble.addresses, { sessionMs: 20_000 }));
    const path = await writer.enter('/queue', 'lock');
    const dead = await ensemble.depose();
    // No followed server drops its clients before it has noticed.
    await until(async () => good(await client.subtree('/queue', 10, signal())).has(path), {
      what: 'the tree as the new leader has it',
      timeoutMs: 30_000,
    });
    expect((await whenUp(client)).sessionId).toBe(sessionId);
    const [other, last] = ensemble.servers.filter((one) => one !== dead);
    await other?.kill();
    const seen = links.length;
    await until(
      () =>
        links
          .slice(seen)
          .some((link) => link.state === 'away' && link.problem?.why?.code === 'zookeeper-no-quorum'),
      { what: 'no leader to be told', timeoutMs: 40_000 },
    );
    expect(await last?.mode()).toBeNull();
    await Promise.all([dead.start(), other?.start()]);
    await whenUp(client);
    const read = await until(async () => good(await client.read('/queue', signal())), {
      what: 'the queue to be read',
      timeoutMs: 30_000,
    });
    expect(read.path).toBe('/queue');
  }, 240_000);
});
