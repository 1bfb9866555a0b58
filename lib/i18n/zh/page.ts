/** Chinese (simplified): what a page says at first sight. */

import type { Messages } from '@/lib/i18n/en/page';
import { unitsZh } from '@/lib/i18n/format/format';
import { action, problems, problemsByWhy } from './action';
import { board, columnHelp } from './board';
import { copy } from './copy';
import { desk, keys, palette, views } from './desk';
import { findings, severities } from './findings';
import { identity, sight } from './identity';
import { layouts } from './layout';
import { outage } from './outage';
import { why } from './refusal';
import { announce, legend, notFound, shell, trouble } from './shell';
import { delay, subject } from './subject';
import { expiry, lampWords, since, verdicts } from './verdict';

export const page: Messages = {
  shell: { ...shell, legend, announce, trouble, notFound },
  desk: { ...desk, palette, views, keys },
  board,
  columnHelp,
  findings,
  severities,
  verdicts,
  lampWords,
  since,
  expiry,
  units: unitsZh,
  joint: '',
  colon: '：',
  copy,
  sight,
  identity,
  layouts,
  outage,
  delay,
  subject,
  action,
  problems,
  problemsByWhy,
  why,
};
