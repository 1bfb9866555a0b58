/** The places of a history on a drawn timeline, as shares of its width from 0 to 1. Pure. */
import { type HistoryAnswer, rangeMaxMs } from '@/lib/domain/history/answer';
import type {
  DeedMark,
  FindingEpisode,
  Gap,
  History,
  Hold,
  LimitChange,
  Wait,
} from '@/lib/domain/history/episode';
import type { Verdict } from '@/lib/domain/model';

export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Bar extends Span {
  readonly hold: Hold;
  readonly lane: number;
  /** Spans with the verdict of their time. */
  readonly parts: readonly (Span & { readonly verdict: Verdict })[];
}

type KnownBy = Pick<HistoryAnswer, 'from' | 'to' | 'keptSinceMs' | 'more' | 'episodes'>;

export interface Timeline extends TimeRange {
  readonly lanes: number;
  /** Sorted by beginning. */
  readonly bars: readonly Bar[];
  /** Sorted by beginning. */
  readonly waits: readonly Wait[];
  /** The number of waiters from `at` on. Empty: no waits are known. */
  readonly waiting: readonly { readonly at: number; readonly count: number }[];
  readonly waitingMax: number;
  readonly findings: readonly (Span & { readonly finding: FindingEpisode })[];
  readonly limits: readonly { readonly at: number; readonly limit: LimitChange }[];
  /** Each action appears once. */
  readonly deeds: readonly { readonly at: number; readonly deed: DeedMark }[];
  readonly gaps: readonly (Span & { readonly gap: Gap })[];
  /** Unknown time: not kept, or not read yet. */
  readonly unread: readonly Span[];
}

const minuteMs = 60_000;

/** With more lanes, bars look alike. */
const lanesMax = 40;

/** An answer of this age still counts as the present. */
export const freshMs = 15_000;

/** Shortest range of the drawing. */
const rangeMinMs = 10_000;

const clamp = (share: number) => Math.min(1, Math.max(0, share));

function placesIn({ fromMs, toMs }: TimeRange) {
  const at = (ms: number) => clamp((ms - fromMs) / (toMs - fromMs));
  return { at, span: (from: number, to: number): Span => ({ from: at(from), to: at(to) }) };
}

const overlaps = ({ fromMs, toMs }: TimeRange, beginMs: number, endMs: number) =>
  beginMs <= toMs && endMs >= fromMs;

/** Each hold takes the first lane that is free at its beginning. */
function lanesOf(holds: readonly Hold[], nowMs: number): readonly number[] {
  const freeFrom: number[] = [];
  return holds.map((hold) => {
    const { from, to } = hold;
    const free = freeFrom.findIndex((ms) => ms <= from.atMs);
    const lane = free === -1 ? Math.min(freeFrom.length, lanesMax - 1) : free;
    freeFrom[lane] = Math.max(freeFrom[lane] ?? 0, to?.atMs ?? Math.max(nowMs, from.atMs) + 1);
    return lane;
  });
}

function waitingSteps(waits: readonly Wait[], range: TimeRange): Timeline['waiting'] {
  const { at } = placesIn(range);
  const changes = waits.flatMap(({ from, to }) => [
    { ms: Math.max(from.atMs, range.fromMs), by: 1 },
    ...(to === null || to.atMs > range.toMs ? [] : [{ ms: to.atMs, by: -1 }]),
  ]);
  changes.sort((a, b) => a.ms - b.ms || a.by - b.by);
  const counted: { at: number; count: number }[] = [];
  let count = 0;
  for (const { ms, by } of changes) {
    count += by;
    const place = at(ms);
    const last = counted.at(-1);
    if (last?.at === place) counted[counted.length - 1] = { at: place, count };
    else counted.push({ at: place, count });
  }
  return counted;
}

function partsOf({ verdicts, from, to }: Hold, range: TimeRange, nowMs: number): Bar['parts'] {
  const { span } = placesIn(range);
  const endMs = to?.atMs ?? nowMs;
  return verdicts.map(({ verdict, atMs }, i) => ({
    verdict,
    ...span(i === 0 ? from.atMs : atMs, verdicts[i + 1]?.atMs ?? endMs),
  }));
}

/** The range that an answer covers: the query, cut to the kept time and to the rows that fit. */
export function knownOf({ from, to, keptSinceMs, more, episodes }: KnownBy): TimeRange {
  // The answer leaves out the oldest rows.
  const begins = more ? episodes.map(({ from: { atMs } }) => atMs) : [];
  const oldestMs = begins.length === 0 ? from : Math.min(...begins);
  return { fromMs: Math.max(from, keptSinceMs ?? from, oldestMs), toMs: to };
}

/** `known`: time outside of it is not drawn as idle. `acted`: actions beside those in the rows. */
export function timelineOf(
  history: History,
  range: TimeRange,
  nowMs: number,
  known: TimeRange = range,
  acted: readonly DeedMark[] = [],
): Timeline {
  const { at, span } = placesIn(range);
  const within = (from: number, to: number | null) => overlaps(range, from, to ?? nowMs);
  const holds = history.episodes.filter(({ from, to }) => within(from.atMs, to?.atMs ?? null));
  const lanes = lanesOf(holds, nowMs);
  const waits = history.waits.filter(({ from, to }) => within(from.atMs, to?.atMs ?? null));
  const waiting = waitingSteps(waits, range);
  const deeds = new Map<string, DeedMark>();
  const rows = [...history.episodes, ...history.waits, ...history.findings, ...history.limits];
  for (const deed of [...acted, ...rows.map((row) => row.deed)])
    if (deed !== null && overlaps(range, deed.atMs, deed.atMs)) deeds.set(`${deed.atMs} ${deed.type}`, deed);
  return {
    ...range,
    lanes: Math.max(1, ...lanes.map((lane) => lane + 1)),
    bars: holds.map((hold, i) => ({
      hold,
      lane: lanes[i] ?? 0,
      ...span(hold.from.atMs, hold.to?.atMs ?? nowMs),
      parts: partsOf(hold, range, nowMs),
    })),
    waits,
    waiting,
    waitingMax: Math.max(0, ...waiting.map(({ count }) => count)),
    findings: history.findings
      .filter(({ from, to }) => within(from.atMs, to?.atMs ?? null))
      .map((finding) => ({ finding, ...span(finding.from.atMs, finding.to?.atMs ?? nowMs) })),
    limits: history.limits
      .filter((limit) => overlaps(range, limit.at.atMs, limit.at.atMs))
      .map((limit) => ({ at: at(limit.at.atMs), limit })),
    deeds: [...deeds.values()].map((deed) => ({ at: at(deed.atMs), deed })),
    gaps: history.gaps
      .filter(({ fromMs, toMs }) => within(fromMs, toMs))
      .map((gap) => ({ gap, ...span(gap.fromMs, gap.toMs ?? nowMs) })),
    unread: [
      span(range.fromMs, Math.max(range.fromMs, known.fromMs)),
      // A live range is read again every few seconds.
      span(range.toMs - known.toMs > freshMs ? known.toMs : range.toMs, range.toMs),
    ].filter(({ from, to }) => to > from),
  };
}

/** The shortest drawn range. Otherwise the first minutes would fill the whole width. */
const keptMinMs = 10 * minuteMs;

/** The kept part of a range. A new console would show an empty day otherwise. */
export function keptPart({ fromMs, toMs }: TimeRange, keptSinceMs: number | null): TimeRange {
  if (keptSinceMs === null) return { fromMs, toMs };
  return { fromMs: Math.max(fromMs, Math.min(keptSinceMs - minuteMs, toMs - keptMinMs)), toMs };
}

/** Zooms a range around one place, within the kept time. `at`: the share that stays in place. */
export function zoomed({ fromMs, toMs }: TimeRange, by: number, at: number, nowMs: number): TimeRange {
  const length = Math.min(rangeMaxMs, Math.max(rangeMinMs, (toMs - fromMs) * by));
  const pinMs = fromMs + (toMs - fromMs) * at;
  return movedTo(pinMs - length * at, length, nowMs);
}

/** Moves a range. `by`: shares of its length; positive is later. */
export function panned({ fromMs, toMs }: TimeRange, by: number, nowMs: number): TimeRange {
  const length = toMs - fromMs;
  return movedTo(fromMs + length * by, length, nowMs);
}

function movedTo(fromMs: number, length: number, nowMs: number): TimeRange {
  const to = Math.min(nowMs, fromMs + length);
  return { fromMs: Math.round(to - length), toMs: Math.round(to) };
}
