import { openingFor } from '@/app/(console)/opening-for';
import { answerOpening } from '@/lib/server/answers/opening';
import { enter } from '@/lib/server/entry/entry';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return enter('read', request, ({ viewpoint }, { env }) =>
    answerOpening(request, viewpoint, (snapshot, base, address) =>
      openingFor(snapshot, base, { address, rowsMax: env.pageRowsMax }),
    ),
  );
}
