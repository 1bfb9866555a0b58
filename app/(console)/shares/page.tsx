import { Shares } from '@/components/sharing/shares';
import { titled } from '@/lib/server/http/accept-language';

export const generateMetadata = titled((m) => m.share.page.title);

export default function SharesPage() {
  return <Shares />;
}
