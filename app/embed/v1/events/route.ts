import { enterEmbed } from '@/lib/server/entry/embed-entry';
import { answerEmbedEvents } from '@/lib/server/sharing/embed-data';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return enterEmbed(request, (grant, runtime) => answerEmbedEvents(request, grant, runtime));
}

/** Next would answer HEAD by GET and drop the body, and the opened stream would never end. */
export function HEAD(request: Request): Promise<Response> {
  return enterEmbed(
    request,
    () => new Response(null, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } }),
  );
}
