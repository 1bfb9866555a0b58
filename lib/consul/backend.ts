/** Consul as a backend: who a token belongs to, whether tokens are asked for, and a provider for each of them. */
import type { Backend } from '@/lib/domain/backend';
import { createConsulProvider } from './provider';
import { type ConsulSettings, origin } from './settings';

export interface ConsulBackendOptions {
  readonly settings: ConsulSettings;
  /** The agents whose log is followed for renewals. */
  readonly renewalAgents: readonly ConsulSettings[];
  /** String prefixes to watch; '' for all. */
  readonly prefixes: readonly string[];
  readonly now: () => number;
}

export function createConsulBackend({
  settings,
  renewalAgents,
  prefixes,
  now,
}: ConsulBackendOptions): Backend {
  return {
    id: 'consul',
    origin: origin(settings),
    hasOwnCredential: settings.token !== null,
    credentialsMax: 8,
    accessControl: async () => 'off',
    signIn: async () => ({ code: 'signed-out', why: { code: 'token-unknown', facts: {} } }),
    provider: (secret) =>
      createConsulProvider({
        settings: secret === null ? settings : { ...settings, token: secret },
        renewalAgents: secret === null ? renewalAgents : renewalAgents.map((a) => ({ ...a, token: secret })),
        prefixes,
        now,
      }),
    close: () => {},
  };
}
