import { Sessions } from '@/components/sessions/sessions';
import { titled } from '@/lib/server/http/accept-language';

export const generateMetadata = titled((m) => m.sessions.title);

export default function SessionsPage() {
  return <Sessions />;
}
