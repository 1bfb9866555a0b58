/**
 * One Redis as a backend: locks and semaphores of Redisson, and strings of redlock. It acts with the credential that its
 * source names; nobody signs in to it.
 */
import type { Backend } from '@/lib/domain/seam/backend';
import { originOf, type RedisSettings } from './client/settings';
import { createRedisProvider } from './provider';

export interface RedisBackendOptions {
  readonly settings: RedisSettings;
  readonly now: () => number;
  /** Of all rows together, roughly; for tests. */
  readonly bytesMax?: number;
}

/** Each opens connections of its own. */
const lookersMax = 100;

export function createRedisBackend(options: RedisBackendOptions): Backend {
  const { id, title, password } = options.settings;
  return {
    id,
    sources: [{ id, kind: 'redis', title }],
    origin: originOf(options.settings),
    asks: false,
    hasOwnCredential: password !== null,
    credentialsMax: lookersMax,
    seesAll: 'yes',
    accessControl: async () => 'off',
    signIn: async () => ({ code: 'invalid', why: { code: 'no-sign-in-here', facts: {} } }),
    provider: () => createRedisProvider(options),
    close: () => {},
  };
}
