import { enterAsAnybody } from '@/lib/server/entry/entry';
import { answerOpenApi } from '@/lib/server/openapi/openapi';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return enterAsAnybody(request, (runtime) => answerOpenApi(request, runtime));
}
