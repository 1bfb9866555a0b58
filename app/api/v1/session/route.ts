import { answerSession, answerSignIn, answerSignOut, answerTouch } from '@/lib/server/answers/session';
import { enterAsAnybody } from '@/lib/server/entry/entry';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return enterAsAnybody(request, (runtime) => answerSession(request, runtime));
}

export function POST(request: Request): Promise<Response> {
  return enterAsAnybody(request, (runtime) => answerSignIn(request, runtime));
}

export function PUT(request: Request): Promise<Response> {
  return enterAsAnybody(request, (runtime) => answerTouch(request, runtime));
}

export function DELETE(request: Request): Promise<Response> {
  return enterAsAnybody(request, (runtime) => answerSignOut(request, runtime));
}
