import { embedLanguages } from '@/lib/i18n/embed-languages';
import { embedLooks } from './looks';
import { Message } from './message';

/** The same for every reason, so that nothing can be learned by trying. */
export default async function EmbedRefused() {
  const { refused } = embedLanguages[(await embedLooks()).language].embed;
  return <Message {...refused} />;
}
