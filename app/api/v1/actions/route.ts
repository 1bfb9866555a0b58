import { answerAction } from '@/lib/server/actions';
import { runtime } from '@/lib/server/runtime';

export const dynamic = 'force-dynamic';

export function POST(request: Request): Promise<Response> {
  return answerAction(request, runtime());
}
