import { enterEmbed } from '@/lib/server/entry/embed-entry';
import { answerEmbedSnapshot } from '@/lib/server/sharing/embed-data';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return enterEmbed(request, answerEmbedSnapshot);
}
