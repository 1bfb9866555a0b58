/** The cut world as JSON, and as events until its grant ends. */

import type { Arrivals } from '@/lib/server/http/arrival';
import type { EmbedFeeds } from '@/lib/server/sharing/embed-feeds';
import type { OpenGrant } from '@/lib/server/sharing/grant-watch';
import type { Grants } from '@/lib/server/sharing/grants';
import { wholeSnapshot } from '@/lib/server/stream/shared-answer';
import { turnAway } from '@/lib/server/stream/sse';

const firstWorldMs = 3_000;

/** `GET /embed/v1/snapshot` */
export async function answerEmbedSnapshot(
  grant: OpenGrant,
  { embeds }: { readonly embeds: EmbedFeeds },
): Promise<Response> {
  const { hub } = embeds.of(grant);
  await hub.ready(firstWorldMs);
  return wholeSnapshot.answer(hub);
}

/** `GET /embed/v1/events`: ends with the grant. */
export async function answerEmbedEvents(
  request: Request,
  grant: OpenGrant,
  {
    embeds,
    grants,
    arrivals,
  }: { readonly embeds: EmbedFeeds; readonly grants: Grants; readonly arrivals: Arrivals },
): Promise<Response> {
  const { hub, streams } = embeds.of(grant);
  await hub.ready(firstWorldMs);
  const query = new URL(request.url).searchParams;
  const full = embeds.full || grants.watch.isFull(grant);
  return full
    ? turnAway()
    : streams.answer(
        {
          asker: { identity: { kind: 'anonymous' }, address: arrivals(request.headers).address },
          filter: null,
          lastEventId: request.headers.get('last-event-id') ?? query.get('since'),
          signal: request.signal,
          follow: (onEnd) => grants.watch.enter(grant, onEnd),
        },
        request,
      );
}
