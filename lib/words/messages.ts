/**
 * Every sentence that a person reads, by language. A language is one object of the type `Messages`: another one
 * fails to compile until it says everything that English says.
 */
import { action, problems } from './en/action';
import { audit } from './en/audit';
import { board, sessions } from './en/board';
import { copy } from './en/copy';
import { delay } from './en/delay';
import { desk } from './en/desk';
import { embed } from './en/embed';
import { findings, findingsPage } from './en/findings';
import { graph } from './en/graph';
import { identity } from './en/identity';
import { layouts } from './en/layout';
import { outage } from './en/outage';
import { plan } from './en/plan';
import { differences, why } from './en/refusal';
import { renewals } from './en/renewals';
import { share } from './en/share';
import { shell } from './en/shell';
import { subject } from './en/subject';
import { entryProblems, evidence, evidenceSources, expiry, lampWords, since, verdicts } from './en/words';
import { type Units, unitsEn } from './format';
import { zh } from './zh/messages';

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

/** The shape of a language. Literal texts are widened to `string`, so that a translation may differ. */
export type Messages = Widen<typeof en>;

type Widen<T> = T extends string
  ? string
  : T extends (...args: infer A) => infer R
    ? (...args: A) => Widen<R>
    : { readonly [K in keyof T]: Widen<T[K]> };

/** Languages that are there. A new one is a row here and a value of `Messages`. */
export const languages: Readonly<Record<'en' | 'zh', Messages>> = { en, zh };
export type Language = keyof typeof languages;
