import { answerChain } from '@/lib/server/audit/answer';
import { enter } from '@/lib/server/entry/entry';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return enter('read', request, (caller, runtime) => answerChain(request, caller, runtime));
}
