/** English as one object: the shape that every other language has to fill. */
import { type Units, unitsEn } from '@/lib/words/format';
import { action, problems } from './action';
import { audit } from './audit';
import { board, sessions } from './board';
import { copy } from './copy';
import { delay } from './delay';
import { desk } from './desk';
import { embed } from './embed';
import { findings, findingsPage } from './findings';
import { graph } from './graph';
import { identity } from './identity';
import { layouts } from './layout';
import { outage } from './outage';
import { plan } from './plan';
import { differences, why } from './refusal';
import { renewals } from './renewals';
import { share } from './share';
import { shell } from './shell';
import { subject } from './subject';
import { entryProblems, evidence, evidenceSources, expiry, lampWords, since, verdicts } from './words';

export const en = {
  shell,
  audit,
  board,
  sessions,
  desk,
  copy,
  embed,
  share,
  subject,
  findings,
  findingsPage,
  graph,
  identity,
  verdicts,
  lampWords,
  evidence,
  evidenceSources,
  entryProblems,
  since,
  expiry,
  renewals,
  delay,
  outage,
  action,
  problems,
  layouts,
  plan,
  why,
  differences,
  units: unitsEn as Units,
  /** What stands between two sentences. */
  joint: ' ',
};
