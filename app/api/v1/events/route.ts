import { answerEvents } from '@/lib/server/feed';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return answerEvents(request);
}
