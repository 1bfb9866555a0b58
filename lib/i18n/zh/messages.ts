/** Chinese (simplified) as one object. It compiles only while it says everything that English says. */
import type { Messages } from '@/lib/i18n/en/messages';
import { action, problems, problemsByWhy } from './action';
import { audit } from './audit';
import { columnHelp } from './column-help';
import { copy } from './copy';
import { delay } from './delay';
import { embed } from './embed';
import { entryProblems, evidence, evidenceSources } from './evidence';
import { findingsPage } from './findings-page';
import { first } from './first';
import { announce, legend, notFound, trouble } from './frame';
import { graph } from './graph';
import { identity } from './identity';
import { layouts } from './layout';
import { meanings } from './meanings';
import { outage } from './outage';
import { owners } from './owners';
import { plan } from './plan';
import { differences, why } from './refusal';
import { renewals } from './renewals';
import { reports } from './reports';
import { sessions } from './sessions';
import { share } from './share';
import { sight } from './sight';
import { sinceShown } from './since-shown';
import { subject } from './subject';
import { keys, palette, views } from './tools';

export const zh: Messages = {
  ...first,
  shell: { ...first.shell, legend, announce, trouble, notFound },
  desk: { ...first.desk, palette, views, keys },
  audit,
  columnHelp,
  copy,
  sessions,
  meanings,
  owners,
  reports,
  embed,
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
