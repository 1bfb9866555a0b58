import { enterEmbed } from '@/lib/server/embed/entry';
import { answerBadge, answerRefusedBadge } from '@/lib/server/embed/picture';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return enterEmbed(
    request,
    (grant, runtime) => answerBadge(request, grant, runtime),
    (status) => answerRefusedBadge(request, status),
  );
}
