import { enter } from '@/lib/server/entry';
import { answerFindings } from '@/lib/server/findings';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return enter('read', request, ({ viewpoint }) => answerFindings(request, viewpoint));
}
