import { enterEmbed } from '@/lib/server/entry/embed-entry';
import { answerBadge, answerRefusedBadge } from '@/lib/server/sharing/badge';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return enterEmbed(
    request,
    (grant, runtime) => answerBadge(request, grant, runtime),
    (status) => answerRefusedBadge(request, status),
  );
}
