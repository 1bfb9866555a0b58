/**
 * A Redis source by its address: `redis://127.0.0.1:6379?id=jobs&prefixes=job:,pool:`, or `rediss://` for TLS.
 * `docs/providers.md` has all parameters.
 */
import {
  parametersOf,
  passwordParameters,
  refuseSource,
  type SourceSettings,
  tlsParameters,
} from '@/lib/domain/seam/source-settings';
import { apart, type Endpoint, type NamedSemaphore, type RedisSettings } from './client/settings';

const portDefault = 6379;
const sentinelPortDefault = 26_379;
/** Most prefixes, because a tracking connection sends each to the server. */
const prefixesMax = 64;
const semaphoresMax = 1_000;
const databaseMax = 1_023;
const limitMax = 2 ** 31 - 1;

const parameters = [
  'topology',
  'master',
  'prefixes',
  'redlock',
  'semaphores',
  ...passwordParameters,
  ...tlsParameters,
] as const;

const topologies = ['single', 'cluster', 'sentinel'] as const;

function endpointOf(id: string, text: string, port: number): Endpoint {
  const [, host = '', given] = /^(\[[0-9a-fA-F:.]+\]|[^:]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const named = given === undefined ? port : Number(given);
  if (host === '' || named < 1 || named > 65_535)
    return refuseSource(`${id} has the host ${text}, which is not host:port.`);
  return { host: host.replace(/^\[|\]$/g, ''), port: named };
}

/** Splits a list. A name with a comma cannot be listed. */
const listed = (text: string): readonly string[] => [...new Set(text.split(',').map((one) => one.trim()))];

function beginnings(id: string, parameter: string, text: string): readonly string[] {
  const all = listed(text).filter((one) => one !== '');
  if (all.length === 0) return refuseSource(`${parameter} of ${id} names nothing.`);
  if (all.length > prefixesMax) return refuseSource(`${parameter} of ${id} has more than ${prefixesMax}.`);
  return apart(all);
}

/** `name` or `name:limit`. A name that itself ends in a number is written with a colon after it. */
function semaphoreOf(id: string, text: string): NamedSemaphore {
  const [, name = text, digits = ''] = /^(.+):(\d*)$/s.exec(text) ?? [];
  const limit = digits === '' ? null : Number(digits);
  if (name === '' || (limit !== null && (limit < 1 || limit > limitMax)))
    return refuseSource(`semaphores of ${id} has ${text}, which is not a name, or a name and a limit.`);
  return { name, limit };
}

function semaphoresOf(id: string, text: string): readonly NamedSemaphore[] {
  const all = listed(text)
    .filter((one) => one !== '')
    .map((one) => semaphoreOf(id, one));
  if (all.length > semaphoresMax) return refuseSource(`semaphores of ${id} has more than ${semaphoresMax}.`);
  const twice = all.find(({ name }, i) => all.findIndex((other) => other.name === name) !== i);
  if (twice !== undefined) return refuseSource(`semaphores of ${id} has ${twice.name} twice.`);
  return all;
}

function databaseOf(id: string, pathname: string): number {
  const text = pathname.replace(/^\//, '');
  if (text === '') return 0;
  const database = /^\d{1,4}$/.test(text) ? Number(text) : -1;
  if (database < 0 || database > databaseMax)
    return refuseSource(`${id} has the path /${text}; Redis has only the number of a database there.`);
  return database;
}

function topologyOf(
  id: string,
  { topology, master }: { readonly topology?: string; readonly master?: string },
): RedisSettings['topology'] {
  const kind = topologies.find((one) => one === (topology ?? (master === undefined ? 'single' : 'sentinel')));
  if (kind === undefined) return refuseSource(`topology of ${id} must be single, cluster or sentinel.`);
  if (kind !== 'sentinel')
    return master === undefined ? { kind } : refuseSource(`${id} has a master, which only sentinels know.`);
  if (master === undefined || master === '')
    return refuseSource(`${id} must name the master that its sentinels watch, as master=mymaster.`);
  return { kind, master };
}

export function redisSource(source: SourceSettings): RedisSettings {
  const { id, title, address, hosts, credentials } = source;
  const given = parametersOf(source, parameters);
  const tls = address.protocol === 'rediss:';
  const topology = topologyOf(id, given);
  if (topology.kind === 'single' && hosts.length > 1)
    refuseSource(`${id} has several hosts; say topology=cluster or topology=sentinel&master=NAME.`);
  const port = topology.kind === 'sentinel' ? sentinelPortDefault : portDefault;
  const [first, ...others] = (hosts.length === 0 ? ['127.0.0.1'] : hosts).map((host) =>
    endpointOf(id, host, port),
  );
  if (first === undefined) return refuseSource(`${id} names no host.`);
  const database = databaseOf(id, address.pathname);
  if (database !== 0 && topology.kind === 'cluster')
    refuseSource(`${id} has the database ${database}; a cluster has only database 0.`);
  const stray = tlsParameters.find((name) => !tls && address.searchParams.has(name));
  if (stray !== undefined) refuseSource(`${id} has ${stray}, which needs rediss://.`);
  if (given.user !== undefined && credentials.password === null)
    refuseSource(`${id} has a user and no password; add password-file or password-env.`);
  return {
    id,
    title,
    topology,
    endpoints: [first, ...others],
    database,
    tls: tls ? credentials.tls : null,
    user: given.user ?? null,
    password: credentials.password,
    prefixes: given.prefixes === undefined ? [''] : beginnings(id, 'prefixes', given.prefixes),
    redlock: given.redlock === undefined ? [] : beginnings(id, 'redlock', given.redlock),
    semaphores: given.semaphores === undefined ? [] : semaphoresOf(id, given.semaphores),
  };
}
