/** Chinese (simplified): what a person reads after the first sight. */
import type { RestOfMessages } from '@/lib/i18n/en/rest/rest';
import { audit } from './audit';
import { differences } from './difference';
import { entryProblems, evidence, evidenceSources, renewals } from './evidence';
import { explain } from './explain';
import { graph } from './graph';
import { history } from './history';
import { plan, sinceShown } from './plan';
import { share } from './share';

export const rest: RestOfMessages = {
  audit,
  differences,
  entryProblems,
  evidence,
  evidenceSources,
  explain,
  graph,
  history,
  plan,
  renewals,
  share,
  sinceShown,
};
