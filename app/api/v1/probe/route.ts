import { answerProbe } from '@/lib/server/probe';
import { runtime } from '@/lib/server/runtime';

export const dynamic = 'force-dynamic';

export function POST(request: Request): Promise<Response> {
  return answerProbe(request, runtime());
}
