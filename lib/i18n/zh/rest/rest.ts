/** Chinese (simplified): what a person reads after the first sight. */
import type { RestOfMessages } from '@/lib/i18n/en/rest/rest';
import { differences } from '@/lib/i18n/zh/refusal';
import { audit } from './audit';
import { entryProblems, evidence, evidenceSources, renewals } from './evidence';
import { graph } from './graph';
import { plan, sinceShown } from './plan';
import { share } from './share';

export const rest: RestOfMessages = {
  audit,
  differences,
  entryProblems,
  evidence,
  evidenceSources,
  graph,
  plan,
  renewals,
  share,
  sinceShown,
};
