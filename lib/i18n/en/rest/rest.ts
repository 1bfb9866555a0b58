/** English: what a person reads after the first sight: plans, evidence, the audit, shares, the graph. */

import type { Widen } from '@/lib/i18n/en/page';
import { audit } from './audit';
import { differences } from './difference';
import { entryProblems, evidence, evidenceSources, renewals } from './evidence';
import { explain } from './explain';
import { graph } from './graph';
import { history } from './history';
import { plan, sinceShown } from './plan';
import { share } from './share';

export const rest = {
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

export type RestOfMessages = Widen<typeof rest>;
