import { answerAction } from '@/lib/server/actions/actions';
import { enter } from '@/lib/server/entry/entry';
import { recordRefusal } from '@/lib/server/entry/refused-action';

export const dynamic = 'force-dynamic';

export function POST(request: Request): Promise<Response> {
  return enter(
    'write',
    request,
    (caller, runtime) => answerAction(request, caller, runtime),
    recordRefusal(request),
  );
}
