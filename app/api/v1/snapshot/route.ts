import { answerSnapshot } from '@/lib/server/answers/feed';
import { enter } from '@/lib/server/entry/entry';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return enter('read', request, ({ viewpoint }) => answerSnapshot(request, viewpoint));
}
