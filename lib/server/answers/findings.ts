/** `GET /api/v1/findings`: what needs attention, with the same freshness as the snapshot. */

import type { Finding } from '@/lib/domain/findings/finding';
import { sourceNow } from '@/lib/domain/world/snapshot';
import { en } from '@/lib/i18n/messages';
import { findingOwner, findingText } from '@/lib/i18n/sentences';
import { requireSource } from '@/lib/server/http/known-source';
import type { PooledCredential } from '@/lib/server/identity/credential-pool';
import { filterFindings, matchesAll, readFindingFilter } from '@/lib/server/live/finding-filter';
import { createWhole } from '@/lib/server/stream/shared-answer';

const firstWorldMs = 3_000;

/** `text` and `who` are English for readers; programs go by `code` and `facts`. */
const withText = (finding: Finding) => ({
  ...finding,
  text: findingText(finding, en),
  who: findingOwner(finding, en),
});

const allFindings = createWhole(
  ({ findings }) => ({ findings: findings.map(withText) }),
  ({ version, asOfMs }, source) => ({ version, asOfMs, source }),
);

export async function answerFindings(request: Request, { hub }: PooledCredential): Promise<Response> {
  const filter = readFindingFilter(new URL(request.url).searchParams);
  await hub.ready(firstWorldMs);
  if (matchesAll(filter)) return allFindings.answer(hub);
  const snapshot = hub.snapshot();
  requireSource(filter.source, snapshot.source);
  const { version, asOfMs, findings } = snapshot;
  const source = sourceNow(snapshot, hub.contactMs);
  return Response.json(
    { version, asOfMs, source, findings: filterFindings(findings, filter).map(withText) },
    { headers: { 'cache-control': 'no-store' } },
  );
}
