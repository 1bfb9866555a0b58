/** A Consul source by its address: `consul://host:port?prefixes=a/,b/&tls=on`. Without a host it is the agent of `CONSUL_HTTP_ADDR`. */
import { parametersOf, refuseSource, type SourceSettings } from '@/lib/domain/seam/source-settings';
import type { ConsulBackendOptions } from './backend';
import { rootsOf } from './client/root';
import { atAddress, type ConsulSettings } from './client/settings';

interface Surroundings {
  /** By the CONSUL_* variables: TLS holds for every Consul source, the token for one. */
  readonly consul: ConsulSettings;
  readonly renewalAgents: readonly ConsulSettings[];
  readonly prefixes: readonly string[];
  /** People sign in to this source, so the server's own token is for it. */
  readonly signsIn: boolean;
}

const switches: Readonly<Record<string, boolean>> = { on: true, off: false };

export function consulSource(
  source: SourceSettings,
  { consul, renewalAgents, prefixes, signsIn }: Surroundings,
): Omit<ConsulBackendOptions, 'now'> {
  const { id, title, address } = source;
  const { prefixes: listed, tls } = parametersOf(source, ['prefixes', 'tls']);
  if (tls !== undefined && switches[tls] === undefined) refuseSource(`tls of ${id} must be on or off.`);
  if (address.pathname !== '' && address.pathname !== '/')
    refuseSource(`${id} has a path; Consul has only a host and a port.`);
  const { host } = address;
  const named = { id, title, token: signsIn ? consul.token : null };
  const settings: ConsulSettings = {
    ...(host === ''
      ? consul
      : atAddress(consul, { host, tls: switches[tls ?? ''] }, `SIGNALBOX_SOURCES: ${id}`)),
    ...named,
  };
  const isOff = renewalAgents.length === 0;
  return {
    settings,
    renewalAgents: host === '' ? renewalAgents.map((one) => ({ ...one, ...named })) : isOff ? [] : [settings],
    prefixes: listed === undefined ? prefixes : rootsOf(listed, `SIGNALBOX_SOURCES: ${id}`),
  };
}
