import { enterEmbed } from '@/lib/server/entry/embed-entry';
import { answerEmbedHistory } from '@/lib/server/sharing/embed-history';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return enterEmbed(request, (grant, runtime) => answerEmbedHistory(request, grant, runtime));
}
