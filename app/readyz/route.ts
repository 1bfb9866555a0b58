import { answerReady } from '@/lib/server/ready';
import { runtime } from '@/lib/server/runtime';

export const dynamic = 'force-dynamic';

export function GET(): Promise<Response> {
  return answerReady(runtime());
}
