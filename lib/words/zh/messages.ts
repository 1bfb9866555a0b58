/** Chinese (simplified) as one object. It compiles only while it says everything that English says. */
import type { Messages } from '@/lib/words/messages';
import { action, problems } from './action';
import { audit } from './audit';
import { delay } from './delay';
import { embed } from './embed';
import { entryProblems, evidence, evidenceSources } from './evidence';
import { findingsPage } from './findings-page';
import { first } from './first';
import { graph } from './graph';
import { identity } from './identity';
import { layouts } from './layout';
import { outage } from './outage';
import { plan } from './plan';
import { differences, why } from './refusal';
import { renewals } from './renewals';
import { share } from './share';
import { subject } from './subject';
import { keys, palette, views } from './tools';

export const zh: Messages = {
  ...first,
  desk: { ...first.desk, palette, views, keys },
  audit,
  embed,
  share,
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
  plan,
  why,
  differences,
};
