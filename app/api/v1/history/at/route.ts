import { enter } from '@/lib/server/entry/entry';
import { answerPast } from '@/lib/server/history/past';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return enter('read', request, (caller, runtime) => answerPast(request, caller, runtime));
}
