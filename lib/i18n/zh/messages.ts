/** Chinese (simplified) as one object. It compiles only while it says everything that English says. */

import type { Messages } from '@/lib/i18n/en/messages';
import { unitsZh } from '@/lib/i18n/format/format';
import { action, problems, problemsByWhy } from './action';
import { audit } from './audit';
import { board, columnHelp } from './board';
import { copy } from './copy';
import { delay } from './delay';
import { desk, keys, palette, views } from './desk';
import { entryProblems, evidence, evidenceSources, renewals } from './evidence';
import { findings, findingsPage, owners, severities } from './findings';
import { graph } from './graph';
import { identity, sight } from './identity';
import { layouts } from './layout';
import { outage } from './outage';
import { plan, sinceShown } from './plan';
import { differences, why } from './refusal';
import { reports } from './reports';
import { sessions } from './sessions';
import { share } from './share';
import { announce, legend, notFound, shell, trouble } from './shell';
import { subject } from './subject';
import { expiry, lampWords, meanings, since, verdicts } from './verdict';

export const zh: Messages = {
  shell: { ...shell, legend, announce, trouble, notFound },
  desk: { ...desk, palette, views, keys },
  audit,
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
  sessions,
  meanings,
  owners,
  reports,
  share,
  sight,
  sinceShown,
  subject,
  findingsPage,
  graph,
  identity,
  layouts,
  outage,
  evidence,
  evidenceSources,
  entryProblems,
  renewals,
  delay,
  action,
  problems,
  problemsByWhy,
  plan,
  why,
  differences,
};
