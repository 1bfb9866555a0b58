/** The words of each entry of a timeline: its kind, its party and its course. */
import type { AllMessages } from '@/lib/i18n/messages';
import { type Entry, isMoment } from '@/lib/view/history/entries';
import { actionWords, byWhom } from './deed-text';
import { clearedText, lastedText, wholeEndText } from './end-text';

/** An embed has no words of the console's actions, and no findings of the past. */
export type HistoryWords = Pick<AllMessages, 'findings' | 'history' | 'units' | 'verdicts'> &
  Partial<Pick<AllMessages, 'audit' | 'severities'>>;

export interface EntryText {
  readonly what: string;
  /** '' without a party. */
  readonly who: string;
  readonly text: string;
}

export function entryText(entry: Entry, m: HistoryWords): EntryText {
  const { history } = m;
  const what = history.entries[entry.kind];
  switch (entry.kind) {
    case 'hold':
      return { what, who: entry.hold.who.label, text: wholeEndText(entry.hold, m) };
    case 'verdict':
      return { what, who: entry.hold.who.label, text: m.verdicts[entry.mark.verdict].word };
    case 'wait': {
      const { who, to, end, deed } = entry.wait;
      const how = to === null ? history.waits : end === null ? history.unsettled : history.waitEnds[end];
      return { what, who: who.label, text: deed === null ? how : `${how}, ${byWhom(deed, m)}` };
    }
    case 'finding':
      return { what, who: '', text: clearedText(entry.finding, m) };
    case 'severity': {
      const { severity } = entry.mark;
      const short = m.findings[entry.finding.code].short;
      return { what, who: '', text: history.turned(short, m.severities?.[severity] ?? severity) };
    }
    case 'limit': {
      const { before, after, deed } = entry.limit;
      return {
        what,
        who: '',
        text: history.page.limit(before, after, deed === null ? null : byWhom(deed, m)),
      };
    }
    case 'deed':
      return { what, who: '', text: `${actionWords(entry.deed.type, m)}, ${byWhom(entry.deed, m)}` };
    case 'gap':
      return { what, who: '', text: history.gaps[entry.gap.why] };
    case 'unread':
      return { what, who: '', text: history.unread };
  }
}

/** The entry as a sentence, for keyboard users of the drawing. */
export function entrySentence(
  entry: Entry,
  m: HistoryWords,
  nowMs: number,
  when: (ms: number) => string,
): string {
  const { history } = m;
  const { text } = entryText(entry, m);
  const at = when(entry.fromMs);
  if (entry.kind === 'hold') {
    const { hold } = entry;
    const from = `${history.basis[hold.from.basis]}${at}`;
    return history.bar(hold.who.label, lastedText(hold, nowMs, m), from, text);
  }
  if (isMoment(entry)) return history.moment(at, text);
  return history.span(at, entry.toMs === null ? null : when(entry.toMs), text);
}
