/** Chinese (simplified): what a person reads after the first sight. */
import type { RestOfMessages } from '@/lib/i18n/en/rest/rest';
import { action } from './action';
import { audit } from './audit';
import { delay } from './delay';
import { differences } from './difference';
import { entryProblems, evidence, evidenceSources, renewals } from './evidence';
import { explain } from './explain';
import { findingsPage, owners } from './findings-page';
import { graph } from './graph';
import { history } from './history';
import { meanings } from './meaning';
import { plan, sinceShown } from './plan';
import { reports } from './reports';
import { sessions } from './sessions';
import { share } from './share';
import { subject } from './subject';

export const rest: RestOfMessages = {
  subject,
  delay,
  sessions,
  findingsPage,
  owners,
  action,
  audit,
  differences,
  entryProblems,
  evidence,
  evidenceSources,
  explain,
  graph,
  history,
  meanings,
  plan,
  renewals,
  reports,
  share,
  sinceShown,
};
