import { answerFindings } from '@/lib/server/findings';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return answerFindings(request);
}
