/**
 * Reads Consul's address and access from the variables of the `consul` command, with the same meaning
 * (https://developer.hashicorp.com/consul/commands#environment-variables).
 */
import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ProblemError } from '@/lib/domain/problem';
import { firstSource, type Source, type SourceId } from '@/lib/domain/source';

export interface ConsulSettings {
  /** The id among several sources; absent: the first source. */
  readonly id?: SourceId;
  /** The name for people; absent: Consul. */
  readonly title?: string;
  readonly protocol: 'http' | 'https';
  readonly host: string;
  readonly port: number;
  /** Replaces host and port. */
  readonly socketPath: string | null;
  /** The datacenter of every request through this agent; absent: the agent's own. */
  readonly datacenter?: string;
  readonly token: string | null;
  /** Largest answer; absent: `answerBytesMaxDefault`. */
  readonly answerBytesMax?: number;
  /** Largest sum of all rows in one watch (`weightOf` in `watch/shard-keys.ts`); absent: `worldBytesMaxDefault`. */
  readonly worldBytesMax?: number;
  readonly tls: {
    readonly ca: Buffer | null;
    /** `null`: the authorities that Node ships. */
    readonly caFrom: 'CONSUL_CACERT' | 'CONSUL_CAPATH' | null;
    readonly cert: Buffer | null;
    readonly key: Buffer | null;
    readonly serverName: string | null;
    readonly verify: boolean;
  };
}

/**
 * Clients decide the length of a key list, and reading takes several times its size in memory. 200,000 locks take some
 * 50 MB.
 */
export const answerBytesMaxDefault = 128 * 1024 * 1024;

/** More than 300,000 locks. Their JSON is 400 MB, and a string cannot exceed 512 MiB. */
export const worldBytesMaxDefault = 384 * 1024 * 1024;

type Env = Readonly<Record<string, string | undefined>>;

function file(path: string | undefined, variable: string): Buffer | null {
  if (path === undefined || path === '') return null;
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new ProblemError(
      { code: 'invalid', detail: `${variable} names ${path}, which cannot be read.` },
      { cause },
    );
  }
}

const certificateShape = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem) !== null;
  } catch {
    return false;
  }
}

/** Skips links to directories, because Kubernetes mounts one beside the directory. */
const filesIn = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const inside = join(path, entry.name);
    if (entry.isDirectory()) return filesIn(inside);
    return statSync(inside, { throwIfNoEntry: false })?.isFile() === false ? [] : [inside];
  });

/** As in the `consul` command, a file without a certificate is an error (hashicorp/go-rootcerts, `LoadCAPath`). */
function directory(path: string): Buffer {
  const name = 'CONSUL_CAPATH';
  let files: string[];
  try {
    files = filesIn(path);
  } catch (cause) {
    throw invalid(`${name} names ${path}, which is no directory that can be read.`, cause);
  }
  const certificates = files.flatMap((one) => {
    const inFile = (file(one, name)?.toString('latin1').match(certificateShape) ?? []).filter(isCertificate);
    if (inFile.length === 0) throw invalid(`${name}: ${one} has no certificate in PEM.`);
    return inFile;
  });
  if (certificates.length === 0) throw invalid(`${name} names ${path}, where there is no certificate.`);
  return Buffer.from(certificates.join('\n'));
}

/** The file overrides the directory, as in the command. */
function authorities(env: Env): Pick<ConsulSettings['tls'], 'ca' | 'caFrom'> {
  const ca = file(env.CONSUL_CACERT, 'CONSUL_CACERT');
  if (ca !== null) return { ca, caFrom: 'CONSUL_CACERT' };
  const path = env.CONSUL_CAPATH || null;
  return path === null ? { ca, caFrom: null } : { ca: directory(path), caFrom: 'CONSUL_CAPATH' };
}

/** Reads booleans as Go's `strconv.ParseBool`; `fallback` if unset. */
function flag(env: Env, name: string, fallback: boolean): boolean {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  if (/^(1|t|true)$/i.test(text)) return true;
  if (/^(0|f|false)$/i.test(text)) return false;
  throw new ProblemError({ code: 'invalid', detail: `${name} must be true or false.` });
}

const invalid = (detail: string, cause?: unknown) =>
  new ProblemError({ code: 'invalid', detail }, cause === undefined ? undefined : { cause });

/** A size in whole MiB. */
function bytesMax(env: Env, name: string, max: number, fallback: number): number {
  const text = env[name]?.trim() ?? '';
  if (text === '') return fallback;
  if (!/^\d{1,4}$/.test(text) || Number(text) < 1 || Number(text) > max)
    throw invalid(`${name} must be a whole number from 1 to ${max}.`);
  return Number(text) * 1024 * 1024;
}

/** Node reads an answer as one string, which cannot exceed 512 MiB. */
const bounds = (env: Env) => ({
  answerBytesMax: bytesMax(env, 'SIGNALBOX_ANSWER_MAX_MB', 500, answerBytesMaxDefault),
  worldBytesMax: bytesMax(env, 'SIGNALBOX_WORLD_MAX_MB', 4096, worldBytesMaxDefault),
});

type Address = Pick<ConsulSettings, 'protocol' | 'host' | 'port' | 'socketPath'>;

/** `host:port`, `http(s)://host:port` or `unix://path`. `ssl`: https even if the address does not name it. */
function address(raw: string, ssl: boolean, variable: string): Address {
  if (raw.startsWith('unix://'))
    return { protocol: 'http', host: 'localhost', port: 80, socketPath: raw.slice('unix://'.length) };
  let url: URL;
  try {
    url = new URL(/^[a-z]+:\/\//i.test(raw) ? raw : `${ssl ? 'https' : 'http'}://${raw}`);
  } catch (cause) {
    throw invalid(`${variable} is not an address.`, cause);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw invalid(`${variable} must be http, https or unix.`);
  const protocol = ssl || url.protocol === 'https:' ? 'https' : 'http';
  const port = url.port === '' ? (protocol === 'https' ? 443 : 80) : Number(url.port);
  return { protocol, host: url.hostname.replace(/^\[|\]$/g, ''), port, socketPath: null };
}

/** Throws a `ProblemError` of code `invalid` that names the variable. The default address is 127.0.0.1:8500. */
export function consulSettings(env: Env): ConsulSettings {
  const ssl = flag(env, 'CONSUL_HTTP_SSL', false);
  const raw = env.CONSUL_HTTP_ADDR?.trim() || '127.0.0.1:8500';
  const tls = {
    ...authorities(env),
    cert: file(env.CONSUL_CLIENT_CERT, 'CONSUL_CLIENT_CERT'),
    key: file(env.CONSUL_CLIENT_KEY, 'CONSUL_CLIENT_KEY'),
    serverName: env.CONSUL_TLS_SERVER_NAME || null,
    verify: flag(env, 'CONSUL_HTTP_SSL_VERIFY', true),
  };
  // The file overrides the variable, as in the command (api/api.go, `defaultConfig`).
  const token =
    file(env.CONSUL_HTTP_TOKEN_FILE, 'CONSUL_HTTP_TOKEN_FILE')?.toString('utf8').trim() ||
    env.CONSUL_HTTP_TOKEN ||
    null;

  return { ...address(raw, ssl, 'CONSUL_HTTP_ADDR'), token, ...bounds(env), tls };
}

/** Each agent costs a connection, and a call every two seconds. */
export const renewalAgentsMax = 64;

/** `servers`: every server that the cluster has at the time (`renewals/raft-peers.ts`). */
export type RenewalAgents = readonly ConsulSettings[] | 'servers';

/**
 * The listed agents (comma-separated), none for `off`, and the agent in use if unset. Each is called with its token and
 * TLS settings. Throws a `ProblemError` of code `invalid` that names the `place` of the list.
 */
export function renewalAgents(
  listed: string,
  settings: ConsulSettings,
  place = 'SIGNALBOX_RENEWAL_AGENTS',
): RenewalAgents {
  const text = listed.trim();
  if (text === '') return [settings];
  if (text === 'off') return [];
  if (text === 'servers') {
    if (settings.socketPath === null) return text;
    throw invalid(
      `${place} is servers, which takes the port of the agent in use, and that is a Unix socket.`,
    );
  }
  const addresses = text.split(',').map((part) => part.trim());
  if (addresses.some((part) => part === ''))
    throw invalid(`${place} has an empty address: write one after each comma.`);
  if (addresses.some((part) => part === 'off' || part === 'servers'))
    throw invalid(`${place} is either off, or servers, or a list of addresses.`);
  const agents = new Map<string, ConsulSettings>();
  for (const part of addresses) {
    // A token in the address would appear on screen.
    if (part.includes('@')) throw invalid(`${place} must not hold credentials: the token is the main one.`);
    const agent = atAddress(settings, { host: part }, place);
    agents.set(origin(agent), agent);
  }
  if (agents.size > renewalAgentsMax)
    throw invalid(`${place} lists ${agents.size} agents; ${renewalAgentsMax} is the most.`);
  return [...agents.values()];
}

/** The agents with `change` applied. Servers take the settings of the agent in use, whatever these are. */
export const withEach = (
  agents: RenewalAgents,
  change: (agent: ConsulSettings) => ConsulSettings,
): RenewalAgents => (agents === 'servers' ? agents : agents.map(change));

/**
 * The same settings for a server, by its address for the other servers (`10.0.0.2:8300`). No list of Consul names a
 * server's HTTP port, so the port is that of the agent in use.
 */
export const atPeer = (settings: ConsulSettings, peer: string): ConsulSettings => ({
  ...settings,
  host: peer.slice(0, peer.lastIndexOf(':')).replace(/^\[|\]$/g, ''),
});

/**
 * The same settings for another agent: `host:port`, with TLS or without; `tls` absent: as before. Errors name `place`.
 */
export function atAddress(
  settings: ConsulSettings,
  { host, tls }: { readonly host: string; readonly tls?: boolean | undefined },
  place: string,
): ConsulSettings {
  return { ...settings, ...address(host, tls ?? settings.protocol === 'https', place) };
}

/** TLS without certificate checks: any server at the address receives the tokens. */
export const isUnverified = ({ protocol, tls }: ConsulSettings): boolean =>
  protocol === 'https' && !tls.verify;

export const sourceOf = ({ id = firstSource, title = 'Consul' }: ConsulSettings): Source => ({
  id,
  kind: 'consul',
  title,
});

/** The address for screens and logs, without the token. */
export function origin(settings: ConsulSettings): string {
  if (settings.socketPath !== null) return `unix://${settings.socketPath}`;
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  return `${settings.protocol}://${host}:${settings.port}`;
}
