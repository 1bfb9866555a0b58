/** `GET /embed/v1/badge.svg`: from a request to a picture. */

import { embedLanguages } from '@/lib/i18n/embed-languages';
import type { EmbedFeeds } from '@/lib/server/sharing/embed-feeds';
import type { OpenGrant } from '@/lib/server/sharing/grant-watch';
import { drawBadge, drawRefusal } from './badge';
import { looksOf } from './looks';

/** How long the first reader after a start waits for the first world. */
const firstWorldMs = 3_000;

/**
 * Nobody may keep it without asking again: proxies of pictures (GitHub's is one) otherwise show it for hours. They may
 * do so all the same, which is why the picture says as of when it is.
 */
const headers = {
  'content-type': 'image/svg+xml; charset=utf-8',
  'cache-control': 'no-cache, no-store, max-age=0, must-revalidate',
  expires: '0',
};

const looksOfRequest = (request: Request) => looksOf(new URL(request.url).searchParams, request.headers);

export async function answerBadge(
  request: Request,
  grant: OpenGrant,
  { embeds, now }: { readonly embeds: EmbedFeeds; readonly now: () => number },
): Promise<Response> {
  const { hub } = embeds.of(grant);
  await hub.ready(firstWorldMs);
  const looks = looksOfRequest(request);
  const words = embedLanguages[looks.language];
  return new Response(
    drawBadge({ scope: grant.scope, snapshot: hub.snapshot(), looks, words, nowMs: now() }),
    {
      headers,
    },
  );
}

/** The same picture whatever is wrong; the status is for machines. */
export function answerRefusedBadge(request: Request, status: number): Response {
  const { language, theme } = looksOfRequest(request);
  return new Response(drawRefusal(embedLanguages[language], theme), { status, headers });
}
