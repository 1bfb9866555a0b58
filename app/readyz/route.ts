import { answerReady } from '@/lib/server/feed';

export const dynamic = 'force-dynamic';

export function GET(): Response {
  return answerReady();
}
