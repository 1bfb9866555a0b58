/** The webhook as the environment asks for it. */
import type { Audit } from '@/lib/server/audit/audit';
import type { Env } from '@/lib/server/process/env';
import type { Log } from '@/lib/server/process/log';
import type { Store } from '@/lib/server/store/store';
import { createWebhookPlace } from './place';
import { createWebhook, type Webhook } from './webhook';

/** `null`: none is asked for. */
export function openWebhook(options: {
  readonly env: Pick<Env, 'audit'>;
  readonly store: Store;
  readonly replica: string;
  readonly audit: Pick<Audit, 'read'>;
  readonly now: () => number;
  readonly log: Log;
}): Webhook | null {
  const { env, store, replica, audit, now, log } = options;
  const { webhook: url, webhookSecret: secret } = env.audit;
  if (url === null || secret === null) return null;
  const newest = async () => (await audit.read({ below: null, limit: 1 }))[0]?.seq ?? 0;
  const place = createWebhookPlace({ store, replica, newest, now });
  return createWebhook({ url, secret, audit, place, now, log });
}
