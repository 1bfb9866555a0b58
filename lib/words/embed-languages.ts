/**
 * The sentences of embeds: of each language the part that a reader needs. An embed loads these and not `messages.ts`, so
 * that what the console says of its actions does not travel to readers.
 */
import { board } from './en/board';
import { delay } from './en/delay';
import { embed } from './en/embed';
import { entryProblems, evidence, evidenceSources } from './en/evidence';
import { findings } from './en/findings';
import { layouts } from './en/layout';
import { meanings } from './en/meanings';
import { outage } from './en/outage';
import { reports } from './en/reports';
import { subject } from './en/subject';
import { expiry, lampWords, since, verdicts } from './en/words';
import { unitsEn, unitsZh } from './format';
import type { Language, Messages } from './messages';
import { board as boardZh } from './zh/board';
import { delay as delayZh } from './zh/delay';
import { embed as embedZh } from './zh/embed';
import * as evidenceZh from './zh/evidence';
import { findings as findingsZh } from './zh/findings';
import { layouts as layoutsZh } from './zh/layout';
import { meanings as meaningsZh } from './zh/meanings';
import { outage as outageZh } from './zh/outage';
import { reports as reportsZh } from './zh/reports';
import { subject as subjectZh } from './zh/subject';
import * as zh from './zh/words';

export type EmbedMessages = Pick<
  Messages,
  | 'board'
  | 'delay'
  | 'embed'
  | 'entryProblems'
  | 'evidence'
  | 'evidenceSources'
  | 'expiry'
  | 'findings'
  | 'joint'
  | 'lampWords'
  | 'layouts'
  | 'meanings'
  | 'outage'
  | 'reports'
  | 'since'
  | 'subject'
  | 'units'
  | 'verdicts'
>;

export const embedLanguages: Readonly<Record<Language, EmbedMessages>> = {
  en: {
    board,
    delay,
    embed,
    entryProblems,
    evidence,
    evidenceSources,
    expiry,
    findings,
    joint: ' ',
    lampWords,
    layouts,
    meanings,
    outage,
    reports,
    since,
    subject,
    units: unitsEn,
    verdicts,
  },
  zh: {
    board: boardZh,
    delay: delayZh,
    embed: embedZh,
    entryProblems: evidenceZh.entryProblems,
    evidence: evidenceZh.evidence,
    evidenceSources: evidenceZh.evidenceSources,
    expiry: zh.expiry,
    findings: findingsZh,
    joint: '',
    lampWords: zh.lampWords,
    layouts: layoutsZh,
    meanings: meaningsZh,
    outage: outageZh,
    reports: reportsZh,
    since: zh.since,
    subject: subjectZh,
    units: unitsZh,
    verdicts: zh.verdicts,
  },
};
