/** Each language's part for embeds, so that the console's words do not travel to readers. */
import { board } from '@/lib/i18n/en/board';
import { embed } from '@/lib/i18n/en/embed';
import { findings } from '@/lib/i18n/en/findings';
import { layouts } from '@/lib/i18n/en/layout';
import { outage } from '@/lib/i18n/en/outage';
import type { Widen } from '@/lib/i18n/en/page';
import { delay } from '@/lib/i18n/en/rest/delay';
import { entryProblems, evidence, evidenceSources } from '@/lib/i18n/en/rest/evidence';
import { meanings } from '@/lib/i18n/en/rest/meaning';
import { reports } from '@/lib/i18n/en/rest/reports';
import { subject } from '@/lib/i18n/en/rest/subject';
import { expiry, lampWords, since, verdicts } from '@/lib/i18n/en/verdict';
import { unitsEn, unitsZh } from '@/lib/i18n/format/format';
import { board as boardZh } from '@/lib/i18n/zh/board';
import { embed as embedZh } from '@/lib/i18n/zh/embed';
import { findings as findingsZh } from '@/lib/i18n/zh/findings';
import { layouts as layoutsZh } from '@/lib/i18n/zh/layout';
import { outage as outageZh } from '@/lib/i18n/zh/outage';
import { delay as delayZh } from '@/lib/i18n/zh/rest/delay';
import * as evidenceZh from '@/lib/i18n/zh/rest/evidence';
import { meanings as meaningsZh } from '@/lib/i18n/zh/rest/meaning';
import { reports as reportsZh } from '@/lib/i18n/zh/rest/reports';
import { subject as subjectZh } from '@/lib/i18n/zh/rest/subject';
import * as zh from '@/lib/i18n/zh/verdict';
import type { AllMessages, Language } from './messages';

export type EmbedMessages = Pick<
  AllMessages,
  | 'board'
  | 'delay'
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
> & { readonly embed: Widen<typeof embed> };

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
