import { answering } from '@/lib/server/http';
import { runtime } from '@/lib/server/runtime';
import { answerScrape } from '@/lib/server/scrape';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return answering(() => answerScrape(request, runtime()));
}
