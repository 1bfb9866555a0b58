import { enter } from '@/lib/server/entry/entry';
import { answerProbe } from '@/lib/server/live/probe';

export const dynamic = 'force-dynamic';

export function POST(request: Request): Promise<Response> {
  return enter('write', request, ({ viewpoint: { probes, hub } }, { log }) =>
    answerProbe(request, { probes, hub, log }),
  );
}
