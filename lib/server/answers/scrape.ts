import { createHash, timingSafeEqual } from 'node:crypto';
import type { AccessControl } from '@/lib/domain/identity';
import type { Backend } from '@/lib/domain/seam/backend';
import { maySee } from '@/lib/server/http/access';
import { HttpProblem, requireSameOrigin, requireSoundAddress } from '@/lib/server/http/http';
import type { CredentialPool } from '@/lib/server/identity/credential-pool';
import type { Metrics } from '@/lib/server/metrics/metrics';
import type { Env } from '@/lib/server/process/env';
import type { EmbedFeeds } from '@/lib/server/sharing/embed-feeds';
import type { Webhook } from '@/lib/server/webhook/webhook';

export type Scraped = {
  readonly env: Env;
  readonly backend: Backend;
  readonly accessControl: () => Promise<AccessControl>;
  readonly viewpoints: CredentialPool;
  readonly embeds: EmbedFeeds;
  readonly metrics: Metrics;
  readonly webhook: Webhook | null;
  readonly now: () => number;
};

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Compares in constant time, whatever the lengths. */
const same = (given: string, wanted: string) => timingSafeEqual(digest(given), digest(wanted));

/**
 * Throws unless this scrape is allowed. Metrics name locks: without a setting they are open only on loopback, and only
 * where the console shows the same to an anonymous caller. A configured token is always required.
 */
async function requireScraper(request: Request, { env, backend, accessControl }: Scraped): Promise<void> {
  const { setting, token } = env.metrics;
  const byItself = async () =>
    env.loopback &&
    maySee(env, await accessControl(), { kind: 'anonymous' }, backend.hasOwnCredential) === null;
  if (setting === 'off' || (setting === null && token === null && !(await byItself())))
    throw new HttpProblem({ code: 'not-found', why: { code: 'metrics-off', facts: {} } }, 404);
  if (token === null) {
    // A foreign page could point its own name at this address, but has no token.
    requireSoundAddress(request, env);
    requireSameOrigin(request, env);
    return;
  }
  const given = /^bearer +(\S+)$/i.exec(request.headers.get('authorization')?.trim() ?? '')?.[1];
  if (given === undefined || !same(given, token))
    throw new HttpProblem({ code: 'signed-out', why: { code: 'metrics-token-needed', facts: {} } }, 401, {
      'www-authenticate': 'Bearer',
    });
}

export async function answerScrape(request: Request, runtime: Scraped): Promise<Response> {
  await requireScraper(request, runtime);
  const { viewpoints, embeds, metrics, webhook, now } = runtime;
  const { open, own } = viewpoints;
  const sum = (of: (viewpoint: typeof own) => number) => open.reduce((total, one) => total + of(one), 0);
  const text = await metrics.text({
    snapshot: own.hub.snapshot(),
    since: own.hub.since,
    nowMs: now(),
    viewers: sum(({ hub }) => hub.viewers),
    streams: { console: sum(({ streams }) => streams.count), embed: embeds.count },
    viewpoints: open.length,
    webhookBacklog: (await webhook?.backlog()) ?? null,
  });
  return new Response(text, {
    headers: { 'content-type': metrics.contentType, 'cache-control': 'no-store' },
  });
}
