/** ZooKeeper as a backend. It has no sign-in, so Signalbox acts with its own credential. */
import type { Backend } from '@/lib/domain/seam/backend';
import type { Provider } from '@/lib/domain/seam/provider';
import { originOf, type ZkSettings } from './client/settings';
import { createZooKeeperProvider } from './provider';

export interface ZooKeeperBackendOptions extends ZkSettings {
  readonly now: () => number;
}

/** Most credentials, because each takes a connection, and servers bound those of one address (`maxClientCnxns`: 60). */
const connectionsMax = 16;

export function createZooKeeperBackend({ now, ...settings }: ZooKeeperBackendOptions): Backend {
  const { id, title } = settings;
  const open = new Set<Provider>();
  return {
    id,
    sources: [{ id, kind: 'zookeeper', title }],
    origin: originOf(settings),
    asks: false,
    hasOwnCredential: settings.digest !== null || settings.tls?.cert != null,
    credentialsMax: connectionsMax,
    seesAll: 'yes',
    accessControl: async () => 'off',
    signIn: async () => ({ code: 'invalid', why: { code: 'no-sign-in-here', facts: {} } }),
    provider: () => {
      const created = createZooKeeperProvider(settings, now);
      const provider: Provider = {
        ...created,
        close: () => {
          open.delete(provider);
          created.close();
        },
      };
      open.add(provider);
      return provider;
    },
    close: () => {
      for (const provider of open) provider.close();
    },
  };
}
