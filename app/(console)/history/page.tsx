import { Happened } from '@/components/history/happened';
import { titled } from '@/lib/server/http/accept-language';

export const generateMetadata = titled((m) => m.history.title);

export default function HistoryPage() {
  return <Happened />;
}
