import { enter } from '@/lib/server/entry/entry';
import { answerFigures } from '@/lib/server/history/figures-answer';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return enter('read', request, (caller, runtime) => answerFigures(request, caller, runtime));
}
