/**
 * Chinese (simplified), as much of it as a board says before anybody has opened anything. The frame and the board are drawn with it;
 * everything else is said with `messages.ts`, of which this is a part.
 */

import type { FirstMessages } from '@/lib/i18n/en/messages';
import { unitsZh } from '@/lib/i18n/format/format';
import { board, unnamed } from './board';
import { copyButton } from './copy-button';
import { desk } from './desk';
import { findings } from './findings';
import { names } from './layout-name';
import { around, lost } from './lost';
import { shell } from './shell';
import { goneSentence, lock, semaphore } from './state';
import { whoButton } from './who-button';
import { expiry, lampWords, since, verdicts } from './words';

export const first: FirstMessages = {
  shell,
  board,
  sessions: { unnamed },
  desk,
  copy: copyButton,
  subject: { lock, semaphore },
  delay: { goneSentence },
  findings,
  identity: { who: whoButton },
  verdicts,
  lampWords,
  since,
  expiry,
  outage: { ...around, outages: { 'console-unreachable': lost } },
  layouts: names,
  units: unitsZh,
  joint: '',
};
