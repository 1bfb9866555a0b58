/**
 * A ZooKeeper source by its address: `zookeeper://h1:2181,h2:2181/chroot?prefixes=/locks/,/pools/`. TLS with `zookeepers://`, or
 * with a file for it.
 */
import {
  parametersOf,
  passwordParameters,
  refuseSource,
  type SourceSettings,
  tlsParameters,
} from '@/lib/domain/seam/source-settings';
import { isPath, isWithin } from './client/path';
import type { ZkServer, ZkSettings } from './client/settings';

const portDefault = 2181;
const adminMax = 16;

const listOf = (text: string | undefined): readonly string[] =>
  (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** `host`, `host:port` or `[::1]:port`, which the address parser has accepted before. */
function serverOf(text: string): ZkServer {
  const url = new URL(`zookeeper://${text}`);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? portDefault : Number(url.port),
  };
}

function decoded(text: string, id: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return refuseSource(`the path of ${id} has a % that begins no character: write %25.`);
  }
}

const folderOf = (text: string): string => (text.length > 1 ? text.replace(/\/$/, '') : text);

/** Drops paths below another, because each root is read and watched once. */
const outermost = (paths: readonly string[]): readonly string[] =>
  [...new Set(paths)]
    .filter((path) => !paths.some((other) => other !== path && isWithin(other, path)))
    .sort();

function pathOf(text: string, name: string, id: string): string {
  const path = folderOf(text);
  if (isPath(path)) return path;
  return refuseSource(
    `${name} of ${id} has ${JSON.stringify(text)}, which is no path of ZooKeeper: write /a/b.`,
  );
}

function countOf(text: string, id: string): readonly [string, string] {
  const [, prefix, count] = /^(\/.*?):(\/.*)$/.exec(text) ?? [];
  if (prefix === undefined || count === undefined)
    return refuseSource(`counts of ${id} must be like /pools/db:/pools/db-limit, with commas between.`);
  return [pathOf(prefix, 'counts', id), pathOf(count, 'counts', id)];
}

function adminOf(text: string, id: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    return refuseSource(`admin of ${id} must be like http://h1:8080, with commas between.`);
  if (url.username !== '' || url.password !== '')
    return refuseSource(`admin of ${id} must not hold credentials.`);
  return url;
}

function digestOf(user: string | undefined, password: string | null, id: string): Buffer | null {
  if (user === undefined && password === null) return null;
  if (user === undefined || user === '' || password === null)
    return refuseSource(`${id} needs both a user and a password, or neither.`);
  if (user.includes(':')) return refuseSource(`the user of ${id} must not hold a colon.`);
  return Buffer.from(`${user}:${password}`);
}

/** Throws `invalid` with one sentence for the operator. */
export function zookeeperSource(source: SourceSettings): ZkSettings {
  const { id, title, address, hosts, credentials } = source;
  const given = parametersOf(source, [
    'prefixes',
    'admin',
    'counts',
    ...passwordParameters,
    ...tlsParameters,
  ]);
  if (hosts.length === 0) return refuseSource(`${id} names no server: write zookeeper://h1:2181,h2:2181/.`);
  const chroot = pathOf(decoded(address.pathname || '/', id), 'the address', id);
  const counts = new Map(listOf(given.counts).map((text) => countOf(text, id)));
  const prefixes = listOf(given.prefixes).map((text) => pathOf(text, 'prefixes', id));
  const admin = listOf(given.admin).map((text) => adminOf(text, id));
  if (admin.length > adminMax) return refuseSource(`admin of ${id} lists more than ${adminMax} addresses.`);
  const isTls = address.protocol === 'zookeepers:' || tlsParameters.some((name) => given[name] !== undefined);
  return {
    id,
    title,
    servers: hosts.map(serverOf),
    chroot: chroot === '/' ? '' : chroot,
    // Includes the counts, because changes outside the watched paths would be missed.
    roots: outermost(prefixes.length === 0 ? ['/'] : [...prefixes, ...counts.keys(), ...counts.values()]),
    tls: isTls ? credentials.tls : null,
    digest: digestOf(given.user, credentials.password, id),
    admin,
    counts,
  };
}
