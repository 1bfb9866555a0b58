import { answerEvents } from '@/lib/server/answers/feed';
import { enter } from '@/lib/server/entry/entry';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return enter('stream', request, (caller, runtime) => answerEvents(request, caller, runtime));
}

/** Next would answer HEAD by GET and drop the body, and the opened stream would never end. */
export function HEAD(): Response {
  return new Response(null, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
}
