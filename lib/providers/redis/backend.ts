/**
 * One Redis as a backend, with locks and semaphores of Redisson and strings of redlock. It acts with the credential
 * that its source names, so there is no sign-in.
 */
import type { Backend } from '@/lib/domain/seam/backend';
import { originOf } from './client/settings';
import { createRedisProvider, type RedisOptions } from './provider';

/** Most credentials, because each opens connections of its own. */
const lookersMax = 100;

export function createRedisBackend(options: RedisOptions): Backend {
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
