import { answerAction } from '@/lib/server/actions';
import { enter } from '@/lib/server/entry';

export const dynamic = 'force-dynamic';

export function POST(request: Request): Promise<Response> {
  return enter('write', request, ({ viewpoint: { provider } }, { log }) =>
    answerAction(request, { provider, log }),
  );
}
