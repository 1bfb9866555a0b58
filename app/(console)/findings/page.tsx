import { Findings } from '@/components/findings/findings';
import { titled } from '@/lib/server/http/accept-language';

export const generateMetadata = titled((m) => m.findingsPage.title);

export default function FindingsPage() {
  return <Findings />;
}
