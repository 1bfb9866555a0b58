import { answerAction } from '@/lib/server/actions/actions';
import { recordRefusal } from '@/lib/server/actions/refusal';
import { enter } from '@/lib/server/entry/entry';

export const dynamic = 'force-dynamic';

export function POST(request: Request): Promise<Response> {
  return enter(
    'write',
    request,
    (caller, runtime) => answerAction(request, caller, runtime),
    recordRefusal(request),
  );
}
