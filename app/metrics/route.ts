import { answerScrape } from '@/lib/server/answers/scrape';
import { answering } from '@/lib/server/http/http';
import { runtime } from '@/lib/server/runtime';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return answering(() => answerScrape(request, runtime()));
}
