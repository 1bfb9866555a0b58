import { enter } from '@/lib/server/entry/entry';
import { answerColumns } from '@/lib/server/history/columns';

export const dynamic = 'force-dynamic';

export function POST(request: Request): Promise<Response> {
  return enter('read', request, (caller, runtime) => answerColumns(request, caller, runtime));
}
