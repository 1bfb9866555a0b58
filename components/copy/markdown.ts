/**
 * The state of one subject for an incident channel: what needs attention, the sentence, the parties with verdicts,
 * times with their zone, the freshness, and a link. Text from the server stays text.
 */
import { capabilities } from '@/lib/domain/capabilities';
import { type Finding, severities } from '@/lib/domain/findings/finding';
import { needsHuman } from '@/lib/domain/findings/need';
import { holdersOf, unlistedHolders } from '@/lib/domain/holders';
import type { Lock, Party, Semaphore, Session, Subject } from '@/lib/domain/model';
import { subjectName } from '@/lib/domain/model';
import type { SourceState } from '@/lib/domain/source-state';
import { wasRead } from '@/lib/domain/world/snapshot';
import { formatAge, formatDuration, formatInstant } from '@/lib/i18n/format/format';
import { waitingSentence } from '@/lib/i18n/holding';
import type { AllMessages } from '@/lib/i18n/messages';
import { refusedAfter } from '@/lib/i18n/refused-after';
import { expiryWords, findingText, lockSentence, semaphoreSentence } from '@/lib/i18n/sentences';

export interface SubjectReport {
  readonly of: Lock | Semaphore | Session;
  readonly findings: readonly Finding[];
  /** A lock's holder's session, where in view. */
  readonly session: Session | null;
  readonly source: SourceState;
  /** `null` where there is only one. */
  readonly sourceTitle: string | null;
  /** Now, or the instant at which the page was frozen. */
  readonly nowMs: number;
  readonly frozen: boolean;
  /** This browser or the server has lost its source. */
  readonly old: boolean;
  readonly zone: string;
  readonly link: string;
}

/** More would fill the channel. */
const partiesMax = 10;

/** The fence is longer than any run of backticks in the text. */
export function coded(text: string): string {
  const flat = text.replace(/\s+/g, ' ');
  const longest = Math.max(0, ...[...flat.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = longest > 0 ? ' ' : '';
  return `${fence}${pad}${flat}${pad}${fence}`;
}

/** Breaks a mention or an address and is not seen. */
const breaker = '\u200b';

/**
 * A sentence with names in it, without markup, mentions or links. Signs without an effect in their place are not
 * escaped, because many channels would show the backslash.
 */
export function plain(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/\\(?=[!-/:-@[-`{-~])|[`*[\]<~]|&(?=#?\w+;)|^[>#+-]|(?<=^\d+)[.)](?= )/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replace(/@|#(?=\w)|\b(?:https?|ftp):(?=\/\/)|\bwww(?=\.)|(?<=\w)\.(?=[a-z]{2,}\b)/gi, `$&${breaker}`);
}

/** `2026-11-21 12:03:04 Europe/Berlin`: a time without its zone misleads readers elsewhere. */
function instant(atMs: number, zone: string): string {
  return `${formatInstant(atMs, zone)} ${zone}`;
}

function sinceText({ since }: Party, { nowMs, zone }: SubjectReport, m: AllMessages): string {
  const words = m.copy.markdown;
  if (since === null) return words.sinceUnknown;
  return since.basis === 'at-least'
    ? words.atLeast(formatAge(since.atMs, nowMs, m.units))
    : words.since(instant(since.atMs, zone));
}

/** The span of a party that ends within one; `null` for any other. */
const withinOf = ({ verdict, expiry: { kind, withinMs, latestMs } }: Party) =>
  verdict !== 'ghost' && (kind === 'bounded' || (kind === 'observed' && latestMs === null)) ? withinMs : null;

function endText(party: Party, report: SubjectReport, m: AllMessages): string {
  const words = m.copy.markdown;
  const { kind, latestMs } = party.expiry;
  const withinMs = withinOf(party);
  if (withinMs !== null) return words.endsWithin(formatDuration(withinMs, m.units));
  if (party.verdict !== 'ghost' && kind === 'observed' && latestMs !== null)
    return words.endsBy(instant(latestMs, report.zone));
  return words.ends(expiryWords(party, report, m, holdsOf(report)).short);
}

/** The thing that holders hold: a session, which may hold more, or this one hold. */
const holdsOf = ({ of }: SubjectReport) => ('kind' in of ? capabilities[of.layout].holds : 'session');

function partyLine(party: Party, report: SubjectReport, m: AllMessages): string {
  const words = m.copy.markdown;
  const named = party.label !== '' && !party.label.includes('…');
  const bySession = holdsOf(report) === 'session';
  const { holding } = m.subject;
  const { mode, count = 1 } = party;
  const isLock = 'kind' in report.of && report.of.kind === 'lock';
  return [
    `- ${named ? `${coded(party.label)} ` : ''}(${m.verdicts[party.verdict].word})`,
    ...(!bySession && named ? [] : [(bySession ? words.session : words.id)(coded(party.sessionId))]),
    ...(mode === undefined ? [] : [holding.modes[mode]]),
    ...(count < 2 ? [] : [isLock ? holding.times(count) : holding.permits(count)]),
    ...(party.session === null ? [] : [words.node(coded(party.session.node))]),
    sinceText(party, report, m),
    endText(party, report, m),
  ].join(' · ');
}

/** `unlisted`: how many more there are. */
function partyLines(
  parties: readonly Party[],
  report: SubjectReport,
  m: AllMessages,
  unlisted = 0,
): string[] {
  const lines = parties.slice(0, partiesMax).map((party) => partyLine(party, report, m));
  const rest = Math.max(0, parties.length - partiesMax) + unlisted;
  return rest > 0 ? [...lines, `- ${m.copy.markdown.more(rest)}`] : lines;
}

function subjectLines(title: string, subjects: readonly Subject[], m: AllMessages): string[] {
  if (subjects.length === 0) return [];
  const lines = subjects.slice(0, partiesMax).map((subject) => `- ${coded(subjectName(subject))}`);
  const rest = subjects.length - partiesMax;
  return ['', `${title}:`, ...lines, ...(rest > 0 ? [`- ${m.copy.markdown.more(rest)}`] : [])];
}

function body(report: SubjectReport, m: AllMessages): string[] {
  const { of } = report;
  const words = m.copy.markdown;
  if (!('kind' in of))
    return [
      m.subject.session.sentence(of.holds.length, of.wants.length),
      ...subjectLines(words.holds, of.holds, m),
      ...subjectLines(words.wants, of.wants, m),
    ];
  const holders = holdersOf(of);
  const { waiters: seen } = capabilities[of.layout];
  const waiting =
    seen === 'counted' || (of.waiters === null && holdsOf(report) !== 'session')
      ? waitingSentence(of, m)
      : of.waiters === null
        ? words.waitersUnseen
        : words.waiters(of.waiters.length, of.kind === 'semaphore' && of.part === true);
  const waiters = of.waiters ?? [];
  const isBounded =
    holdsOf(report) === 'session' && [...holders, ...waiters].some((party) => withinOf(party) !== null);
  const sentence =
    of.kind === 'lock'
      ? lockSentence(of, report, m, [], refusedAfter(of, report.session, m))
      : semaphoreSentence(of, report, m);
  return [
    plain(sentence),
    ...(holders.length === 0
      ? []
      : [
          '',
          `${words.holders}:`,
          ...partyLines(holders, report, m, of.kind === 'lock' ? 0 : unlistedHolders(of)),
        ]),
    '',
    waiting,
    ...partyLines(waiters, report, m),
    ...(isBounded ? ['', words.withinNote] : []),
  ];
}

function freshness({ source, nowMs, frozen, old, zone }: SubjectReport, m: AllMessages): string {
  const words = m.copy.markdown;
  if (frozen) return words.frozen(instant(nowMs, zone));
  if (!old && source.state === 'live') return words.fresh(instant(nowMs, zone));
  const last = wasRead(source) ? (source.staleSinceMs ?? source.lastContactMs) : null;
  return last === null ? words.never : words.old(instant(last, zone));
}

/** A deadlock first: nothing else about the subject matters until it is ended. Then by severity. */
const placeOf = ({ code, severity }: Finding) => (code === 'deadlock' ? -1 : severities.indexOf(severity));

/** The whole text, ending with a line break. */
export function markdownText(report: SubjectReport, m: AllMessages): string {
  const { of, findings, link, sourceTitle } = report;
  const words = m.copy.markdown;
  const kind = 'kind' in of ? of.kind : 'session';
  const name = 'kind' in of ? (of.kind === 'lock' ? of.key : of.prefix) : of.id;
  const needs = findings.filter(needsHuman).sort((a, b) => placeOf(a) - placeOf(b));
  return [
    `**${words.kinds[kind]}** ${coded(name)}${sourceTitle === null ? '' : ` · ${plain(sourceTitle)}`}`,
    '',
    ...(needs.length === 0
      ? []
      : [`${words.findings}:`, ...needs.map((finding) => `- ${plain(findingText(finding, m))}`), '']),
    ...body(report, m),
    '',
    `${freshness(report, m)} <${link}>`,
    '',
  ].join('\n');
}
