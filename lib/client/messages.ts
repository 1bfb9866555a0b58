/**
 * Every sentence that a person reads, by language. A language is one object of the type `Messages`: another one
 * fails to compile until it says everything that English says.
 */
import { action, problems } from './en/action';
import { board, sessions } from './en/board';
import { shell } from './en/shell';
import { findings, subject } from './en/subject';
import { entryProblems, evidence, evidenceSources, expiry, lampWords, since, verdicts } from './en/words';
import { type Units, unitsEn } from './format';

export const en = {
  shell,
  board,
  sessions,
  subject,
  findings,
  verdicts,
  lampWords,
  evidence,
  evidenceSources,
  entryProblems,
  since,
  expiry,
  action,
  problems,
  units: unitsEn as Units,
};

/** The shape of a language. Literal texts are widened to `string`, so that a translation may differ. */
export type Messages = Widen<typeof en>;

type Widen<T> = T extends string
  ? string
  : T extends (...args: infer A) => infer R
    ? (...args: A) => Widen<R>
    : { readonly [K in keyof T]: Widen<T[K]> };

/** Languages that are there. A new one is a row here and a value of `Messages`. */
export const languages: Readonly<Record<'en', Messages>> = { en };
export type Language = keyof typeof languages;
