/**
 * Reads the address of a Consul source: `consul://host:port?dc=west&prefixes=a/,b/`, with TLS `consuls://host:port`.
 * Without a host, the agent of `CONSUL_HTTP_ADDR`.
 */
import {
  parametersOf,
  refuseSource,
  type SourceSettings,
  tlsParameters,
  tokenParameters,
} from '@/lib/domain/seam/source-settings';
import type { ConsulBackendOptions } from './backend';
import { rootsOf } from './client/root';
import {
  renewalAgents as agentsOf,
  atAddress,
  type ConsulSettings,
  type RenewalAgents,
  withEach,
} from './client/settings';

interface Surroundings {
  /**
   * The settings from the CONSUL_* variables. TLS applies to every Consul source without its own, the token to one
   * source.
   */
  readonly consul: ConsulSettings;
  readonly renewalAgents: RenewalAgents;
  readonly prefixes: readonly string[];
  /** People sign in to this source, so the token of the variables belongs to it. */
  readonly signsIn: boolean;
}

const parameters = ['prefixes', 'tls', 'dc', 'renewal-agents', ...tokenParameters, ...tlsParameters] as const;
const switches: Readonly<Record<string, boolean>> = { on: true, off: false };

/** Consul's own rule for the name of a datacenter (`ValidDatacenter`, agent/config). */
const datacenterShape = /^[a-z0-9_-]+$/;

/** The `tls` parameter, or true for `consuls://`; `undefined`: as in the variables. */
function isTls({ id, kind }: SourceSettings, tls: string | undefined): boolean | undefined {
  if (tls !== undefined && switches[tls] === undefined) refuseSource(`tls of ${id} must be on or off.`);
  if (kind === 'consuls' && tls === 'off')
    refuseSource(`${id} is consuls://, which is TLS; leave tls=off out.`);
  return kind === 'consuls' ? true : switches[tls ?? ''];
}

/** The TLS settings, with the files of the address in place of those in the variables. */
function tlsOf({ credentials }: SourceSettings, before: ConsulSettings['tls']): ConsulSettings['tls'] {
  const { ca, cert, key, serverName } = credentials.tls;
  const pem = (content: Uint8Array | null) => (content === null ? null : Buffer.from(content));
  return {
    ...before,
    ...(ca === null ? {} : { ca: pem(ca), caFrom: 'CONSUL_CACERT' as const }),
    ...(cert === null ? {} : { cert: pem(cert), key: pem(key) }),
    serverName: serverName ?? before.serverName,
  };
}

export function consulSource(
  source: SourceSettings,
  { consul, renewalAgents, prefixes, signsIn }: Surroundings,
): Omit<ConsulBackendOptions, 'now'> {
  const { id, title, address, credentials, hosts } = source;
  const place = `SIGNALBOX_SOURCES: ${id}`;
  const { prefixes: listed, tls, dc, 'renewal-agents': agents } = parametersOf(source, parameters);
  if (address.pathname !== '' && address.pathname !== '/')
    refuseSource(`${id} has a path; Consul has only a host and a port.`);
  if (hosts.length > 1) refuseSource(`${id} has several hosts; Consul needs one agent.`);
  if (dc !== undefined && !datacenterShape.test(dc))
    refuseSource(`dc of ${id} must be the name of a datacenter: small letters, digits, - and _.`);
  const [host = ''] = hosts;
  const secure = isTls(source, tls);
  if (host === '' && secure !== undefined)
    refuseSource(`${id} names no host, so CONSUL_HTTP_ADDR says whether it is TLS.`);
  const token = credentials.token ?? (signsIn ? consul.token : null);
  const named = { id, title, token, tls: tlsOf(source, consul.tls) };
  const settings: ConsulSettings = {
    ...(host === '' ? consul : atAddress(consul, { host, tls: secure }, place)),
    ...named,
    ...(dc === undefined ? {} : { datacenter: dc }),
  };
  const isOff = renewalAgents !== 'servers' && renewalAgents.length === 0;
  const inUse =
    host === '' ? withEach(renewalAgents, (one) => ({ ...one, ...named })) : isOff ? [] : [settings];
  return {
    settings,
    renewalAgents: agents === undefined ? inUse : agentsOf(agents, settings, `${place}, renewal-agents`),
    prefixes: listed === undefined ? prefixes : rootsOf(listed, place),
  };
}
