import { enter } from '@/lib/server/entry';
import { answerSnapshot } from '@/lib/server/stream/feed';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return enter('read', request, ({ viewpoint }) => answerSnapshot(request, viewpoint));
}
