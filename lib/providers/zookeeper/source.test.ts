import { expect, test } from 'vitest';
import { noCredentials } from '@/lib/domain/seam/source-settings';
import { zookeeperSource } from './source';

const of = (query: string, { path = '/', scheme = 'zookeeper', password = null as string | null } = {}) =>
  zookeeperSource({
    id: 'zk',
    title: 'ZooKeeper',
    kind: scheme,
    address: new URL(`${scheme}://h1:2181${path}${query}`),
    hosts: ['h1:2182', 'h2', '[::1]:2183'],
    credentials: { ...noCredentials, password },
    access: null,
  });

test('an address names servers, a chroot, what is watched, shared counts and administrative pages', () => {
  expect(
    of(
      '?prefixes=/locks/,/pools/,/locks/a&counts=/pools/db:/limits/db&admin=http://h1:8080,https://h2:8443/zk',
      {
        path: '/chroot',
      },
    ),
  ).toMatchObject({
    servers: [
      { host: 'h1', port: 2182 },
      { host: 'h2', port: 2181 },
      { host: '::1', port: 2183 },
    ],
    chroot: '/chroot',
    roots: ['/limits/db', '/locks', '/pools'],
    counts: new Map([['/pools/db', '/limits/db']]),
    tls: null,
    digest: null,
  });
  expect(of('')).toMatchObject({ chroot: '', roots: ['/'], admin: [] });
});

test('TLS is by its scheme or by a file, and a digest by a user and a password', () => {
  expect(of('', { scheme: 'zookeepers' }).tls).toEqual(noCredentials.tls);
  expect(of('?ca-file=/x').tls).toEqual(noCredentials.tls);
  expect(String(of('?user=me&password-env=X', { password: 'hush' }).digest)).toBe('me:hush');
});

test.each([
  ['?prefixes=locks', 'prefixes of zk has "locks", which is no path of ZooKeeper'],
  ['?prefixes=/a//b', 'prefixes of zk has "/a//b"'],
  ['?prefixes=/a/../b', 'prefixes of zk has'],
  ['?counts=/pools/db', 'counts of zk must be like'],
  ['?admin=h1:8080', 'admin of zk must be like'],
  ['?admin=http://me:word@h1', 'admin of zk must not hold credentials'],
  ['?prefixes=locks%zz', 'prefixes of zk has'],
  ['?user=me', 'zk needs both a user and a password'],
  ['?topology=single', 'zk has topology, which its kind does not know'],
])('%s ends the start with one sentence', (query, sentence) => {
  expect(() => of(query)).toThrow(`SIGNALBOX_SOURCES: ${sentence}`);
});
