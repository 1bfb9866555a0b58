import { answerReady } from '@/lib/server/entry/ready';
import { runtime } from '@/lib/server/runtime';

export const dynamic = 'force-dynamic';

export function GET(): Promise<Response> {
  return answerReady(runtime());
}
