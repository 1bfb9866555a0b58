import { answering } from '@/lib/server/http/http';
import { answerScrape } from '@/lib/server/metrics/scrape';
import { runtime } from '@/lib/server/runtime';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return answering(() => answerScrape(request, runtime()));
}
