import { enter } from '@/lib/server/entry/entry';
import { answerGrantChange, answerGrants, answerNewGrant } from '@/lib/server/sharing/answer';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return enter('read', request, (caller, runtime) => answerGrants(request, caller, runtime));
}

export function POST(request: Request): Promise<Response> {
  return enter('write', request, (caller, runtime) => answerNewGrant(request, caller, runtime));
}

export function PATCH(request: Request): Promise<Response> {
  return enter('write', request, (caller, runtime) => answerGrantChange(request, caller, runtime));
}
