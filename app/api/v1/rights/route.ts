import { enter } from '@/lib/server/entry/entry';
import { answerRights } from '@/lib/server/identity/rights';

export const dynamic = 'force-dynamic';

export function POST(request: Request): Promise<Response> {
  return enter('read', request, ({ viewpoint }) => answerRights(request, viewpoint));
}
