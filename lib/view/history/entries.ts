/** The contents of a drawn timeline in order, for its table and for keys. Pure. */
import type {
  DeedMark,
  FindingEpisode,
  Gap,
  Hold,
  LimitChange,
  VerdictMark,
  Wait,
} from '@/lib/domain/history/episode';
import type { Span, Timeline } from './timeline';

type What =
  | { readonly kind: 'hold'; readonly hold: Hold }
  | { readonly kind: 'verdict'; readonly hold: Hold; readonly mark: VerdictMark }
  | { readonly kind: 'wait'; readonly wait: Wait }
  | { readonly kind: 'finding'; readonly finding: FindingEpisode }
  | {
      readonly kind: 'severity';
      readonly finding: FindingEpisode;
      readonly mark: FindingEpisode['severities'][number];
    }
  | { readonly kind: 'limit'; readonly limit: LimitChange }
  | { readonly kind: 'deed'; readonly deed: DeedMark }
  | { readonly kind: 'gap'; readonly gap: Gap }
  /** A time that is not kept, or not read yet. */
  | { readonly kind: 'unread' };

export type Entry = What & {
  readonly id: string;
  readonly fromMs: number;
  /** `null`: it continues. Equal to `fromMs`: a moment. */
  readonly toMs: number | null;
};

const momentOf = (atMs: number) => ({ fromMs: atMs, toMs: atMs });

/** All entries, sorted by their beginning. */
export function entriesOf(timeline: Timeline): readonly Entry[] {
  const { bars, waits, findings, limits, deeds, gaps, unread, fromMs, toMs } = timeline;
  const isShown = (atMs: number) => atMs >= fromMs && atMs <= toMs;
  const msAt = (share: number) => Math.round(fromMs + share * (toMs - fromMs));
  const entries: Entry[] = [
    ...bars.flatMap(({ hold }): Entry[] => [
      { kind: 'hold', id: hold.id, hold, fromMs: hold.from.atMs, toMs: hold.to?.atMs ?? null },
      // The hold itself shows the first verdict.
      ...hold.verdicts
        .slice(1)
        .filter(({ atMs }) => isShown(atMs))
        .map(
          (mark): Entry => ({
            kind: 'verdict',
            id: `${hold.id} ${mark.atMs}`,
            hold,
            mark,
            ...momentOf(mark.atMs),
          }),
        ),
    ]),
    ...waits.map(
      (wait): Entry => ({
        kind: 'wait',
        id: wait.id,
        wait,
        fromMs: wait.from.atMs,
        toMs: wait.to?.atMs ?? null,
      }),
    ),
    ...findings.flatMap(({ finding }): Entry[] => [
      {
        kind: 'finding',
        id: finding.id,
        finding,
        fromMs: finding.from.atMs,
        toMs: finding.to?.atMs ?? null,
      },
      ...finding.severities
        .slice(1)
        .filter(({ atMs }) => isShown(atMs))
        .map(
          (mark): Entry => ({
            kind: 'severity',
            id: `${finding.id} ${mark.atMs}`,
            finding,
            mark,
            ...momentOf(mark.atMs),
          }),
        ),
    ]),
    ...limits.map(({ limit }): Entry => ({ kind: 'limit', id: limit.id, limit, ...momentOf(limit.at.atMs) })),
    ...deeds.map(
      ({ deed }): Entry => ({
        kind: 'deed',
        id: `${deed.atMs} ${deed.type}`,
        deed,
        ...momentOf(deed.atMs),
      }),
    ),
    ...gaps.map(({ gap }): Entry => ({ kind: 'gap', id: gap.id, gap, fromMs: gap.fromMs, toMs: gap.toMs })),
    ...unread.map(
      (span): Entry => ({
        kind: 'unread',
        id: `unread ${span.from}`,
        fromMs: msAt(span.from),
        toMs: msAt(span.to),
      }),
    ),
  ];
  return entries.sort((a, b) => a.fromMs - b.fromMs);
}

const isStop: Readonly<Record<Entry['kind'], boolean>> = {
  hold: true,
  finding: true,
  limit: true,
  deed: true,
  gap: true,
  wait: false,
  verdict: false,
  severity: false,
  // This entry flickers at the present edge between two reads.
  unread: false,
};

/** The entries with a mark on the drawing, where keys stop. */
export const stopsOf = (entries: readonly Entry[]): readonly Entry[] =>
  entries.filter(({ kind }) => isStop[kind]);

/** The place of an entry on the drawing. */
export function placeOf({ fromMs, toMs }: Entry, range: Timeline, nowMs: number): Span {
  const at = (ms: number) => Math.min(1, Math.max(0, (ms - range.fromMs) / (range.toMs - range.fromMs)));
  return { from: at(fromMs), to: at(toMs ?? nowMs) };
}

export const isMoment = ({ fromMs, toMs }: Entry): boolean => toMs === fromMs;
