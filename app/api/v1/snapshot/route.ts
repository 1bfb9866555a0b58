import { answerSnapshot } from '@/lib/server/feed';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return answerSnapshot(request);
}
