import type { Metadata } from 'next';
import { Sessions } from '@/components/sessions/sessions';
import { en } from '@/lib/client/messages';

export const metadata: Metadata = { title: en.sessions.title };

export default function SessionsPage() {
  return <Sessions />;
}
