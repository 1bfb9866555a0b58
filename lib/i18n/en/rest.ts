/** English: what a person reads after the first sight: plans, evidence, the audit, shares, the graph. */
import { audit } from './audit';
import { entryProblems, evidence, evidenceSources, renewals } from './evidence';
import { graph } from './graph';
import type { Widen } from './page';
import { plan, sinceShown } from './plan';
import { differences } from './refusal';
import { share } from './share';

export const rest = {
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

export type RestOfMessages = Widen<typeof rest>;
