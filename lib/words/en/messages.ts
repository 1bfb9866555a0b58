/** English as one object: the shape that every other language has to fill. */
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

export const en = {
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
