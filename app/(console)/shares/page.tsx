import { Shares } from '@/components/share/shares';
import { titled } from '@/lib/server/language';

export const generateMetadata = titled((m) => m.share.page.title);

export default function SharesPage() {
  return <Shares />;
}
