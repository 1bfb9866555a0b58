import { answerFindings } from '@/lib/server/answers/findings';
import { enter } from '@/lib/server/entry/entry';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return enter('read', request, ({ viewpoint }) => answerFindings(request, viewpoint));
}
