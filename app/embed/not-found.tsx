import { embedLanguages } from '@/lib/i18n/embed-languages';
import { embedLooks } from './looks';
import { Message } from './message';

/** The same for every reason, so that a guess reveals nothing. */
export default async function EmbedRefused() {
  const { refused } = embedLanguages[(await embedLooks()).language].embed;
  return <Message {...refused} />;
}
