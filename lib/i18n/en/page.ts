/** English: what a page says at first sight. The shape of every language. */
import { type Units, unitsEn } from '@/lib/i18n/format/format';
import { action, problems, problemsByWhy } from './action';
import { board, columnHelp } from './board';
import { copy } from './copy';
import { desk, keys, palette, views } from './desk';
import { findings, severities } from './findings';
import { identity, sight } from './identity';
import { layouts } from './layout';
import { outage } from './outage';
import { why } from './refusal';
import { announce, legend, notFound, shell, trouble } from './shell';
import { delay, subject } from './subject';
import { expiry, lampWords, since, verdicts } from './verdict';

export const page = {
  shell: { ...shell, legend, announce, trouble, notFound },
  desk: { ...desk, palette, views, keys },
  board,
  columnHelp,
  findings,
  severities,
  verdicts,
  lampWords,
  since,
  expiry,
  units: unitsEn as Units,
  /** Between two sentences. */
  joint: ' ',
  /** Between a word and what it introduces. */
  colon: ': ',
  copy,
  sight,
  identity,
  layouts,
  outage,
  delay,
  subject,
  action,
  problems,
  problemsByWhy,
  why,
};

/** Literal texts are widened to `string`, so that a translation may differ. */
export type Messages = Widen<typeof page>;

export type Widen<T> = T extends string
  ? string
  : T extends (...args: infer A) => infer R
    ? (...args: A) => Widen<R>
    : { readonly [K in keyof T]: Widen<T[K]> };
