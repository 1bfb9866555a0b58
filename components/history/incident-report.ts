/** A range of history as Markdown for an incident channel: holds, removals with their reasons, gaps, findings. */
import { coded, plain } from '@/components/copy/markdown';
import { countedIn, type HistoryAnswer } from '@/lib/domain/history/answer';
import { type Subject, subjectName } from '@/lib/domain/model';
import type { SourceId } from '@/lib/domain/source';
import { formatCount, formatInstant } from '@/lib/i18n/format/format';
import type { AllMessages } from '@/lib/i18n/messages';
import { actionWords, byWhom } from './deed-text';
import { clearedText, lastedText, wholeEndText } from './end-text';

interface ReportOf {
  readonly answer: HistoryAnswer;
  /** '' is everything. */
  readonly prefix: string;
  readonly zone: string;
  readonly link: string;
  /** The stuck subjects at the time of writing; absent where the range is past. */
  readonly stuck?: readonly { readonly subject: Subject; readonly text: string }[];
}

/** More would fill the channel; the link has all. */
const linesMax = 100;

export function incidentReport({ answer, prefix, zone, link, stuck = [] }: ReportOf, m: AllMessages): string {
  const { history } = m;
  const words = history.report;
  const counted = countedIn(answer);
  const { from, to, keptSinceMs, episodes, waits, findings, limits, gaps, more } = answer;
  const time = (atMs: number) => formatInstant(atMs, zone);
  const rows = [...episodes, ...waits, ...findings, ...limits, ...stuck].map(({ subject }) => subject);
  const several = new Set([...rows, ...gaps].map(({ source }) => source)).size > 1;
  const placed = (text: string, source: SourceId) => (several ? `${text} [${plain(source)}]` : text);
  const of = (subject: Subject) => placed(coded(subjectName(subject)), subject.source);
  const part = <R>(title: string, rows: readonly R[], line: (row: R) => string) =>
    rows.length === 0
      ? []
      : [
          '',
          `**${title}**`,
          // The end of an incident says more than its beginning.
          ...(rows.length > linesMax ? [`- ${words.older(rows.length - linesMax)}`] : []),
          ...rows.slice(-linesMax).map((row) => `- ${line(row)}`),
        ];
  const deeds = new Map(
    [...episodes, ...waits, ...findings, ...limits].flatMap(({ subject, deed }) =>
      deed === null
        ? []
        : [[`${deed.atMs} ${deed.type} ${subjectName(subject)}`, { subject, deed }] as const],
    ),
  );
  return [
    `**${words.title}** ${prefix === '' ? words.everything : coded(prefix)}`,
    words.range(time(from), time(to), zone),
    ...(keptSinceMs !== null && keptSinceMs > from ? [history.keptSince(time(keptSinceMs))] : []),
    ...(more ? [history.more] : []),
    ...part(words.stuck, stuck, ({ subject, text }) => `${of(subject)}: ${plain(text)}`),
    ...part(
      words.deeds,
      [...deeds.values()].sort((a, b) => a.deed.atMs - b.deed.atMs),
      ({ subject, deed }) =>
        `${time(deed.atMs)} ${of(subject)}: ${plain(`${actionWords(deed.type, m)}, ${byWhom(deed, m)}`)}`,
    ),
    ...part(
      words.gaps,
      gaps,
      ({ source, fromMs, toMs, why }) =>
        `${time(fromMs)} – ${toMs === null ? words.goesOn : time(toMs)}: ${placed(history.gaps[why], source)}`,
    ),
    ...part(words.findings, findings, (finding) => {
      const { subject, from: began, to: ended, severities } = finding;
      const turns = severities.map(({ severity, atMs }) =>
        words.severity(m.severities[severity], time(atMs)),
      );
      const outcome = plain([clearedText(finding, m), ...turns].join(history.detail.and));
      return `${time(began.atMs)} – ${ended === null ? words.goesOn : time(ended.atMs)}: ${of(subject)} ${outcome}`;
    }),
    ...part(
      words.holds,
      episodes,
      (hold) =>
        `${history.basis[hold.from.basis]}${time(hold.from.atMs)} ${of(hold.subject)}: ${coded(hold.who.label)} ${words.held(lastedText(hold, to, m))}, ${plain(wholeEndText(hold, m))}`,
    ),
    ...(episodes.length === 0 && counted === 0 ? ['', history.none] : []),
    ...(counted === 0 ? [] : ['', history.folded(formatCount(counted))]),
    '',
    `<${link}>`,
    '',
  ].join('\n');
}
