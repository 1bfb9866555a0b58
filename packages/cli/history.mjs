/** `signalbox history`: who held something, how long, how it ended, and when nobody looked. */
import { otherSources, severalSources } from './act.mjs';
import { exit } from './api.mjs';
import { nameOf, placed, subjectText } from './board.mjs';
import { columns, shown } from './terminal.mjs';
import { spaced } from './words.mjs';

/** @typedef {import('../../lib/domain/history/answer').SentHistory} HistoryAnswer */
/** @typedef {import('../../lib/domain/history/episode').Hold} Hold */
/** @typedef {import('../../lib/domain/history/episode').HoldEnd} HoldEnd */
/** @typedef {import('../../lib/domain/history/episode').Moment} Moment */
/** @typedef {import('../../lib/domain/history/episode').DeedMark} DeedMark */

/** @type {Readonly<Record<HoldEnd, string>>} */
export const ends = {
  released: 'released',
  'session-ended': 'session ended',
  'lease-ended': 'lease ended',
  'evicted-here': 'removed from Signalbox',
  'entry-deleted': 'entry deleted',
  'entry-overwritten': 'record overwritten',
  'not-watched': 'ended while not watched',
};

const units = /** @type {const} */ ([
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
]);

/**
 * At most two units: `2 h 5 min`.
 * @param {number} ms
 */
export function spanText(ms) {
  const first = units.findIndex(([, size]) => ms >= size);
  if (first === -1) return `${Math.max(0, Math.round(ms))} ms`;
  let rest = ms;
  /** @type {string[]} */
  const parts = [];
  for (const [unit, size] of units.slice(first, first + 2)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${unit}`);
  }
  return parts.join(' ');
}

/** In the terminal's time zone: `2026-11-21 12:03:04`. @param {number} atMs */
const instant = (atMs) => new Date(atMs).toLocaleString('sv-SE');

/** @param {Moment} moment */
const momentText = ({ atMs, basis }) =>
  `${basis === 'at-least' ? 'before ' : basis === 'at-most' ? 'by ' : ''}${instant(atMs)}`;

/** @param {DeedMark} deed */
const deedText = ({ by, reason }) =>
  ` by ${by === null ? 'anonymous' : shown(by)}${reason === null ? '' : `: ${shown(reason)}`}`;

/**
 * A bound, where its beginning or its end was missed.
 * @param {Hold} hold
 * @param {number} nowMs
 */
function lastedText({ from, to }, nowMs) {
  const span = spanText((to?.atMs ?? nowMs) - from.atMs);
  if (from.basis === 'at-least') return to?.basis === 'at-most' ? 'unknown' : `at least ${span}`;
  return to?.basis === 'at-most' ? `at most ${span}` : span;
}

/** @param {Hold} hold */
function endText({ to, end, deed }) {
  if (to === null) return 'holds now';
  const text = end === null ? 'ended' : (ends[end] ?? spaced(end));
  return `${text}${deed === null ? '' : deedText(deed)}`;
}

/**
 * In the order of time. The subject is named where there are several.
 * @param {HistoryAnswer} answer
 * @param {number} nowMs
 * @returns {string[]}
 */
export function historyLines({ episodes, limits, gaps }, nowMs) {
  const subjects = new Set(
    [...episodes, ...limits].map(({ subject }) => `${subject.source} ${subject.kind} ${nameOf(subject)}`),
  );
  /** @param {Hold['subject']} subject */
  const named = (subject) => (subjects.size > 1 ? [subjectText(subject)] : []);
  const unnamed = subjects.size > 1 ? [''] : [];
  const rows = [
    ...episodes.map((hold) => ({
      atMs: hold.from.atMs,
      cells: [
        momentText(hold.from),
        ...named(hold.subject),
        shown(hold.who.label),
        lastedText(hold, nowMs),
        endText(hold),
      ],
    })),
    ...limits.map(({ at, subject, before, after, deed }) => ({
      atMs: at.atMs,
      cells: [
        momentText(at),
        ...named(subject),
        '',
        '',
        `limit ${before} to ${after}${deed === null ? '' : deedText(deed)}`,
      ],
    })),
    ...gaps.map(({ source, fromMs, toMs, why }) => ({
      atMs: fromMs,
      cells: [
        instant(fromMs),
        ...unnamed,
        '',
        spanText((toMs ?? nowMs) - fromMs),
        placed(`not watched: ${why}`, source),
      ],
    })),
  ];
  return columns(rows.sort((a, b) => a.atMs - b.atMs).map(({ cells }) => cells));
}

/** @param {HistoryAnswer} answer */
const isEmpty = ({ episodes, waits = [], findings, limits, hours }) =>
  [episodes, waits, findings, limits, hours].every((rows) => rows.length === 0);

/**
 * What the lines do not say.
 * @param {HistoryAnswer} answer
 * @param {string} name
 * @returns {string[]}
 */
export function besideLines(answer, name) {
  const counted = answer.hours.reduce((sum, { holds }) => sum + holds, 0);
  if (counted > 0) return [`Old and very short holds are only counted, by the hour: ${counted}.`];
  if (isEmpty(answer) && answer.gaps.length === 0)
    return [`Nothing was seen of ${shown(name)} in that time.`];
  const { waits = [], findings } = answer;
  return answer.episodes.length > 0 || waits.length + findings.length === 0
    ? []
    : [`Nobody was seen to hold ${shown(name)} in that time. --json has who waited, and the findings.`];
}

/**
 * A name may be a lock's, a semaphore's, or the beginning of several.
 * @param {string} name
 * @param {import('./arguments.mjs').Asked['options']} options
 * @param {import('./api.mjs').Api} api
 * @returns {Promise<HistoryAnswer>}
 */
async function answered(name, options, api) {
  const { since = '24h', kind, source } = options;
  /** @param {string} of */
  const asked = (of) => {
    const query = new URLSearchParams({ subject: `${of}:${name}`, from: `-${since}` });
    // A prefix without one is looked for in every source.
    if (source !== undefined) query.set('source', source);
    return api.call(`/api/v1/history?${query}`);
  };
  try {
    if (kind !== undefined) return await asked(kind);
    for (const one of ['lock', 'semaphore']) {
      /** @type {HistoryAnswer} */
      const answer = await asked(one);
      if (answer.off || !isEmpty(answer)) return answer;
    }
  } catch (error) {
    const [only, ...others] = source === undefined ? otherSources(error) : [];
    if (only === undefined) throw error;
    if (others.length === 0) return answered(name, { ...options, source: only }, api);
    if (kind !== undefined) throw severalSources([only, ...others]);
    // Several sources, and none is called consul: only a prefix is looked for in all of them.
  }
  return asked('prefix');
}

/**
 * @param {import('./arguments.mjs').Asked} asked
 * @param {import('./signalbox.mjs').Ways} ways
 * @returns {Promise<number>} exit status
 */
export async function history({ names: [name = ''], options }, { api, say, warn, sayJson }) {
  const { json } = options;
  const answer = await answered(name, options, api);
  const { keptSinceMs, awaySinceMs, from, to, more, off } = answer;
  if (json) sayJson(answer);
  else {
    for (const line of historyLines(answer, to)) say(line);
    if (!off) for (const line of besideLines(answer, name)) say(line);
  }
  if (off) warn('This console keeps no history (SIGNALBOX_HISTORY=off).');
  if (awaySinceMs !== null) warn(`Nothing is kept since ${instant(awaySinceMs)}: the store does not answer.`);
  if (keptSinceMs !== null && keptSinceMs > from) warn(`Kept since ${instant(keptSinceMs)}.`);
  if (more) warn('Only the newest part of that time. Ask for a shorter one with --since.');
  return off ? exit.refused : awaySinceMs === null ? exit.done : exit.away;
}
