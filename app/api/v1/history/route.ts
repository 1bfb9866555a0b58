import { enter } from '@/lib/server/entry/entry';
import { answerHistory } from '@/lib/server/history/answer';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return enter('read', request, (caller, runtime) => answerHistory(request, caller, runtime));
}
