import { answerEmbedSnapshot } from '@/lib/server/embed/data';
import { enterEmbed } from '@/lib/server/embed/entry';

export const dynamic = 'force-dynamic';

export function GET(request: Request): Promise<Response> {
  return enterEmbed(request, answerEmbedSnapshot);
}
