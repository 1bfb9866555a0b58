/** The seam on one Redis. */

import { sawNothing } from '@/lib/domain/actions/expect';
import type { Provider } from '@/lib/domain/seam/provider';
import type { RedisBackendOptions } from './backend';
import { watchRedis } from './watch/watch';

const no = { code: 'invalid', why: { code: 'not-offered', facts: {} } } as const;

export function createRedisProvider(options: RedisBackendOptions): Provider {
  return {
    id: options.settings.id,
    watch: (listener, signal) => watchRedis(options, listener, signal),
    plan: async () => no,
    saw: () => sawNothing,
    apply: async () => no,
    close: () => {},
  };
}
