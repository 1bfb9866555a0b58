/**
 * Compares Signalbox's history with the observer's. Every hold in the history must have been seen. Every hold that was
 * seen must be in the history, unless it ended before Signalbox could read it, within `boundMs` or in a gap.
 */
import type { Blinding } from './blinding';
import { deedsOn, rightEnds, slackMs } from './ends';
import type { Seen, SeenHold } from './observer';
import type { DoneDeed } from './person';

interface ToldMoment {
  readonly atMs: number;
  readonly basis: string;
}

/** A hold as in `GET /api/v1/history`. */
export interface ToldHold {
  readonly id: string;
  readonly subject: { readonly kind: string; readonly key?: string; readonly prefix?: string };
  readonly who: { readonly id: string };
  readonly from: ToldMoment;
  readonly to: ToldMoment | null;
  readonly end: string | null;
  readonly deed: { readonly type: string } | null;
  readonly token: string | null;
  readonly verdicts: readonly { readonly verdict: string }[];
}

export interface ToldGap {
  readonly fromMs: number;
  readonly toMs: number | null;
  readonly why: string;
}

export interface Told {
  readonly episodes: readonly ToldHold[];
  readonly gaps: readonly ToldGap[];
}

/** Epoch milliseconds. */
export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Difference {
  readonly kind: 'missing' | 'invented' | 'late' | 'end' | 'basis' | 'deed' | 'gap-missing' | 'gap-invented';
  readonly text: string;
}

export interface Compared {
  readonly seen: number;
  readonly told: number;
  readonly equal: number;
  /** Holds that ended before Signalbox could read them, and the longest of them. */
  readonly unread: number;
  readonly longestUnreadMs: number;
  /** Holds seen twice and reported once, because one session released and retook them between two reads. */
  readonly joined: number;
  /** Holds that began and ended within a gap. */
  readonly inGap: number;
  /** Reported holds that ended between two reads of the observer, and the longest of them. */
  readonly unobserved: number;
  readonly longestUnobservedMs: number;
  readonly ends: Readonly<Record<string, number>>;
  /** Ends with two right names, because both happened between two reads. */
  readonly coalesced: number;
  /** Signalbox's delay behind the observer outside gaps, in milliseconds, ascending. */
  readonly lagsMs: readonly number[];
  readonly gaps: number;
  readonly gapMs: number;
  readonly differences: readonly Difference[];
}

export interface Comparison {
  readonly seen: Seen;
  readonly told: Told;
  readonly deeds: readonly DoneDeed[];
  /** When the screen did not say "live". */
  readonly notLive: readonly Stretch[];
  readonly blindings: readonly Blinding[];
  readonly boundMs: number;
  /** When the history was asked for. */
  readonly askedMs: number;
}

const nameOf = ({ subject: { kind, key, prefix } }: ToldHold) => `${kind}:${key ?? prefix}`;
const time = (ms: number) => new Date(ms).toISOString().slice(11, 23);
const overlap = (a: Stretch, b: Stretch) =>
  Math.max(0, Math.min(a.toMs, b.toMs) - Math.max(a.fromMs, b.fromMs));
/**
 * An instant of a gap that is told this near to when the observer saw it was seen: one part of a source may be read on for a
 * moment. On a machine where Signalbox is later than this outside gaps, its own p99 there counts.
 */
const sawMs = 300;
/** An answer that came so soon after a change may be older than the change. */
const answerMs = 50;
/** Faults that end before they blind Signalbox for longer than one read. */
const brief = ['link-cut'];

const seenText = (hold: SeenHold) =>
  `${hold.subject} ${hold.session.slice(0, 8)} ${time(hold.from.byMs)} to ${hold.to === null ? 'now' : time(hold.to.byMs)} ${hold.ending ?? ''}`;
const toldText = (hold: ToldHold) =>
  `${nameOf(hold)} ${hold.who.id.slice(0, 8)} ${hold.token ?? ''} ${time(hold.from.atMs)} (${hold.from.basis}) to ${hold.to === null ? 'now' : `${time(hold.to.atMs)} (${hold.to.basis})`} ${hold.end ?? ''}`;

/** Other events around a hold, for a person to explain a difference. */
function aroundText({ session, to, withSession }: SeenHold, { seen, deeds }: Comparison): string {
  const ended = seen.sessionsEnded.get(session);
  const its = deeds.filter(({ sessions }) => sessions.includes(session));
  const together = seen.holds.filter((one) => to !== null && one.to?.byMs === to.byMs).length;
  return [
    ended === undefined ? '' : `; its session ended by ${time(ended.byMs)}${withSession ? ' with it' : ''}`,
    together > 1 ? `; ${together} ended at that read` : '',
    ...its.map(
      ({ type, sure, askedMs, answeredMs }) =>
        `; ${type}${sure ? '' : ' (unsure)'} ${time(askedMs)} to ${time(answeredMs)}`,
    ),
  ].join('');
}

export function compare(options: Comparison): Compared {
  const { seen, told, deeds, boundMs, askedMs } = options;
  const differences: Difference[] = [];
  const differ = (kind: Difference['kind'], text: string) => void differences.push({ kind, text });
  const gaps = told.gaps.map(({ fromMs, toMs }) => ({ fromMs, toMs: toMs ?? askedMs }));
  /** Signalbox may also miss changes shortly before a gap, and needs a read after it. */
  const nearGap = (ms: number) => gaps.some((gap) => ms >= gap.fromMs - boundMs && ms <= gap.toMs + boundMs);
  const deepInGap = (ms: number) => gaps.some((gap) => ms > gap.fromMs + slackMs && ms < gap.toMs - boundMs);

  const keyOf = (subject: string, session: string, token: string | null) =>
    [subject, session, token ?? ''].join(' ');
  const left = new Map<string, SeenHold[]>();
  for (const hold of seen.holds) {
    const key = keyOf(hold.subject, hold.session, hold.token);
    left.set(key, [...(left.get(key) ?? []), hold]);
  }
  let [equal, joined, unread, longestUnreadMs, inGap, coalesced] = [0, 0, 0, 0, 0, 0];
  let [unobserved, longestUnobservedMs] = [0, 0];
  const lagsMs: number[] = [];
  /** Instants of gaps that are told as if they had been seen, and how far from the observer's. */
  const inDeepGap: { readonly offMs: number; readonly text: string }[] = [];
  const ends: Record<string, number> = {};

  const keyOfTold = (one: ToldHold) => keyOf(nameOf(one), one.who.id, one.token);
  const toldByKey = new Map<string, ToldHold[]>();
  for (const one of told.episodes)
    toldByKey.set(keyOfTold(one), [...(toldByKey.get(keyOfTold(one)) ?? []), one]);
  const lookOf = (one: ToldHold) => `${nameOf(one)} ${one.to?.atMs}`;
  const looks = new Map<string, number>();
  for (const one of told.episodes) looks.set(lookOf(one), (looks.get(lookOf(one)) ?? 0) + 1);
  const isTogether = (one: ToldHold) => (looks.get(lookOf(one)) ?? 0) > 1;

  const checkEnd = (hold: SeenHold, one: ToldHold) => {
    if (one.to === null || hold.to === null) {
      // The history is read a moment after the observer has stopped.
      const isOpen = (one.to === null || one.to.atMs > askedMs) && hold.to === null;
      const isFresh = hold.to !== null && askedMs - hold.to.byMs < boundMs;
      if (!isOpen && !isFresh) differ('end', `${toldText(one)}, seen ${seenText(hold)}`);
      return;
    }
    ends[one.end ?? 'null'] = (ends[one.end ?? 'null'] ?? 0) + 1;
    const lagMs = one.to.atMs - hold.to.byMs;
    if (one.end === 'not-watched') {
      if (!nearGap(hold.to.byMs)) differ('end', `${toldText(one)}, outside each gap, seen ${seenText(hold)}`);
      return;
    }
    // The audit names its own action, whatever was seen.
    const isByDeed = one.end === 'evicted-here' && one.to.basis === 'at-most';
    if (!isByDeed && deepInGap(hold.to.byMs))
      inDeepGap.push({
        offMs: Math.abs(lagMs),
        text: `${toldText(one)}, in a gap, seen ${seenText(hold)}`,
      });
    if (!nearGap(hold.to.byMs)) {
      lagsMs.push(lagMs);
      if (lagMs > boundMs || one.to.atMs < hold.to.afterMs - slackMs)
        differ('late', `${toldText(one)}, seen ${seenText(hold)}`);
    }
    const right = rightEnds({
      hold,
      to: hold.to,
      lookMs: one.to.atMs,
      together: isTogether(one),
      sawGhost: one.verdicts.at(-1)?.verdict === 'ghost',
      seen,
      deeds,
    });
    if (right.size > 1) coalesced += 1;
    if (!right.has(one.end ?? ''))
      differ(
        'end',
        `${toldText(one)}; right: ${[...right].join(', ')}; seen ${seenText(hold)}${aroundText(hold, options)}`,
      );
    if (
      one.end === 'evicted-here' &&
      !deedsOn({ hold, to: hold.to, deeds }).some(({ type }) => type === one.deed?.type)
    )
      differ('deed', `${toldText(one)} by ${one.deed?.type}, seen ${seenText(hold)}`);
  };

  for (const one of [...told.episodes].sort((a, b) => a.from.atMs - b.from.atMs)) {
    const rows = left.get(keyOfTold(one)) ?? [];
    const its = toldByKey.get(keyOfTold(one)) ?? [];
    const mayBe = ({ from, to }: SeenHold) =>
      from.afterMs <= one.from.atMs + slackMs &&
      (to === null || one.from.atMs <= to.byMs + boundMs || nearGap(one.from.atMs));
    const offMs = ({ from }: SeenHold) => Math.abs(from.byMs - one.from.atMs);
    // The one whose beginning is nearest. A session may take a slot again at once.
    const hold = rows
      .filter(mayBe)
      .reduce<SeenHold | undefined>(
        (best, row) => (best !== undefined && offMs(best) < offMs(row) ? best : row),
        undefined,
      );
    if (hold === undefined) {
      const { from, to } = one;
      const readsWithin = (fromMs: number, toMs: number) =>
        seen.readsMs.filter((ms) => ms >= fromMs && ms <= toMs).length;
      // The observer reads each change, so without a read soon after nothing changed.
      const isBetween =
        to !== null &&
        to.atMs - from.atMs <= slackMs &&
        readsWithin(from.atMs + answerMs, to.atMs) === 0 &&
        readsWithin(to.atMs + 1, to.atMs + slackMs) > 0;
      if (isBetween) {
        unobserved += 1;
        longestUnobservedMs = Math.max(longestUnobservedMs, to.atMs - from.atMs);
      } else differ('invented', toldText(one));
      continue;
    }
    const at = rows.indexOf(hold);
    rows.splice(at, 1);
    // The holds that it hides: one session released and retook the lock between two reads, or in a gap.
    let lastOf = hold;
    for (let next = rows[at]; hold.token === null && next !== undefined; next = rows[at]) {
      const pauseMs = next.from.byMs - (lastOf.to?.byMs ?? 0);
      // The reported end is nearer to that of the later hold.
      const endOffMs = (seenTo: number | undefined) =>
        Math.abs((one.to?.atMs ?? Number.POSITIVE_INFINITY) - (seenTo ?? Number.POSITIVE_INFINITY));
      const isCovered =
        one.to === null ||
        (next.to !== null &&
          next.to.byMs <= one.to.atMs + slackMs &&
          endOffMs(next.to.byMs) < endOffMs(lastOf.to?.byMs));
      // A hold of its own in the history is not hidden.
      const { byMs } = next.from;
      const isToldApart = its.some((row) => row !== one && Math.abs(row.from.atMs - byMs) <= slackMs);
      if (isToldApart || !isCovered || (pauseMs > boundMs && !nearGap(next.from.byMs))) break;
      rows.splice(at, 1);
      joined += 1;
      lastOf = next;
    }
    equal += 1;
    if (deepInGap(hold.from.byMs) && one.from.basis !== 'at-least')
      inDeepGap.push({ offMs: offMs(hold), text: `${toldText(one)}, seen ${seenText(hold)}` });
    if (one.from.basis === 'observed' && !nearGap(hold.from.byMs)) {
      const lagMs = one.from.atMs - hold.from.byMs;
      lagsMs.push(lagMs);
      if (lagMs > boundMs) differ('late', `${toldText(one)}, seen ${seenText(hold)}`);
    }
    checkEnd(lastOf, one);
  }
  lagsMs.sort((a, b) => a - b);
  const mayBeOffMs = Math.max(sawMs, lagsMs[Math.floor(lagsMs.length * 0.99)] ?? 0);
  for (const { offMs, text } of inDeepGap) if (offMs > mayBeOffMs) differ('basis', text);
  for (const hold of [...left.values()].flat()) {
    const stretch = { fromMs: hold.from.byMs, toMs: hold.to?.byMs ?? askedMs };
    const dark = gaps.reduce((sum, gap) => sum + overlap(stretch, { fromMs: gap.fromMs, toMs: gap.toMs }), 0);
    const visibleMs = stretch.toMs - stretch.fromMs - dark;
    if (dark > 0 && visibleMs <= boundMs) inGap += 1;
    else if (visibleMs <= boundMs) {
      unread += 1;
      longestUnreadMs = Math.max(longestUnreadMs, visibleMs);
    } else differ('missing', seenText(hold));
  }
  compareGaps(options, gaps, differ);
  return {
    seen: seen.holds.length,
    told: told.episodes.length,
    equal,
    unread,
    longestUnreadMs,
    joined,
    inGap,
    unobserved,
    longestUnobservedMs,
    ends,
    coalesced,
    lagsMs,
    gaps: gaps.length,
    gapMs: gaps.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0),
    differences,
  };
}

/**
 * Compares gaps: one exactly where Signalbox's screen did not say "live", and one in each fault that lasts long enough.
 */
function compareGaps(
  { notLive, blindings, boundMs }: Comparison,
  gaps: readonly Stretch[],
  differ: (kind: Difference['kind'], text: string) => void,
): void {
  const textOf = ({ fromMs, toMs }: Stretch) => `${time(fromMs)} to ${time(toMs)}`;
  const wide = ({ fromMs, toMs }: Stretch, ms: number) => ({ fromMs: fromMs - ms, toMs: toMs + ms });
  for (const gap of gaps)
    if (![...notLive, ...blindings].some((one) => overlap(wide(gap, 1_000), one) > 0))
      differ('gap-invented', textOf(gap));
  for (const one of notLive)
    if (one.toMs - one.fromMs > boundMs && !gaps.some((gap) => overlap(gap, wide(one, 1_000)) > 0))
      differ('gap-missing', `not live ${textOf(one)}`);
  for (const one of blindings)
    if (!brief.includes(one.name) && !gaps.some((gap) => overlap(gap, wide(one, 1_000)) > 0))
      differ('gap-missing', `${one.name} ${textOf(one)}`);
}
