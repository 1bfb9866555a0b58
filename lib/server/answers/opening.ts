/**
 * `GET /api/v1/opening?address=&since=`: the content of one console page, for a world that is too large for a browser.
 */
import { z } from 'zod';
import { build } from '@/lib/domain/build';
import { ProblemError } from '@/lib/domain/problem';
import { type Snapshot, sourceNow } from '@/lib/domain/world/snapshot';
import type { PooledCredential } from '@/lib/server/identity/credential-pool';
import type { Hub } from '@/lib/server/live/hub';

const querySchema = z.object({
  address: z
    .string()
    .max(8_192)
    .regex(/^\/(?![/\\])/),
  since: z.string().max(100).nullable(),
});

/** `base`: the hub that numbers the snapshot. */
export async function answerOpening(
  request: Request,
  { hub }: Pick<PooledCredential, 'hub'>,
  openingOf: (snapshot: Snapshot, base: Hub, address: string) => Promise<object>,
): Promise<Response> {
  const query = new URL(request.url).searchParams;
  const parsed = querySchema.safeParse({ address: query.get('address'), since: query.get('since') });
  if (!parsed.success)
    throw new ProblemError({ code: 'invalid', detail: 'address must be a path of this console.' });
  const { address, since } = parsed.data;
  // Before the first read a page keeps its content, so the answer need not wait.
  const now = hub.snapshot();
  const { base, instance, contactMs } = hub;
  const name = `${instance}-${now.version}`;
  const snapshot = { ...now, source: sourceNow(now, contactMs) };
  const opening = since === name ? null : await openingOf(snapshot, base, address);
  return Response.json(
    { name, build, atMs: Date.now(), contactMs, opening },
    { headers: { 'cache-control': 'no-store' } },
  );
}
