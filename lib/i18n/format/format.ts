/**
 * Times and numbers for people. Pure: clock and time zone are passed in, because the browser must repeat the server's
 * first paint before it may use its own.
 */
import { unfit } from '@/lib/domain/unsafe-characters';

/** A thin space keeps figure and unit together. */
export interface Units {
  readonly ms: string;
  readonly s: string;
  readonly min: string;
  readonly h: string;
  readonly d: string;
}

/** The units as English abbreviates them. */
export const unitsEn: Units = { ms: 'ms', s: 's', min: 'min', h: 'h', d: 'd' };

export const unitsZh: Units = { ms: '毫秒', s: '秒', min: '分钟', h: '小时', d: '天' };

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const gap = '\u00a0';

/**
 * A duration in at most two units: `850 ms`, `11 s`, `1 min 30 s`, `14 min`, `2 h 5 min`, `3 d 4 h`. From ten minutes
 * on seconds would flicker without information. Negative counts as zero.
 */
export function formatDuration(ms: number, units: Units = unitsEn): string {
  const length = Math.max(0, Math.round(ms));
  if (length > 0 && length < secondMs) return `${length}${gap}${units.ms}`;
  if (length < minuteMs) return `${Math.floor(length / secondMs)}${gap}${units.s}`;
  if (length < 10 * minuteMs) return pair(length, minuteMs, units.min, secondMs, units.s);
  if (length < hourMs) return `${Math.floor(length / minuteMs)}${gap}${units.min}`;
  if (length < dayMs) return pair(length, hourMs, units.h, minuteMs, units.min);
  return pair(length, dayMs, units.d, hourMs, units.h);
}

function pair(length: number, bigMs: number, bigUnit: string, smallMs: number, smallUnit: string): string {
  const big = Math.floor(length / bigMs);
  const small = Math.floor((length - big * bigMs) / smallMs);
  return small === 0 ? `${big}${gap}${bigUnit}` : `${big}${gap}${bigUnit}${gap}${small}${gap}${smallUnit}`;
}

/** An age in whole seconds, so that it never shows milliseconds. */
export function formatAge(atMs: number, nowMs: number, units: Units = unitsEn): string {
  return formatDuration(Math.floor(Math.max(0, nowMs - atMs) / secondMs) * secondMs, units);
}

const wholeSecond = (ms: number) => Math.floor(ms / secondMs) * secondMs;

/**
 * Counts like a clock that shows seconds: the page's `now` is up to a second behind. A wait that is not over never
 * reads `0 s`.
 */
export function formatRest(untilMs: number, nowMs: number, units: Units = unitsEn): string {
  if (untilMs <= nowMs) return formatDuration(0, units);
  return formatDuration(Math.max(secondMs, wholeSecond(untilMs) - wholeSecond(nowMs)), units);
}

const clocks = new Map<string, Intl.DateTimeFormat>();

function clock(zone: string, withDay: boolean): Intl.DateTimeFormat {
  const id = `${zone} ${withDay}`;
  const known = clocks.get(id);
  if (known !== undefined) return known;
  // `sv-SE` writes dates as 2026-11-21 and times in 24 hours.
  const clock = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    ...(withDay ? { year: 'numeric', month: '2-digit', day: '2-digit' } : {}),
  });
  clocks.set(id, clock);
  return clock;
}

/** Wall-clock time of an instant in a zone: `12:03:04`. */
export function formatTime(atMs: number, zone: string): string {
  return clock(zone, false).format(atMs);
}

/** `2026-11-21 12:03:04`, in a zone. */
export function formatInstant(atMs: number, zone: string): string {
  return clock(zone, true).format(atMs);
}

/** `12:03:04` less than half a day from now, else with its date. */
export function formatWhen(atMs: number, nowMs: number, zone: string): string {
  return Math.abs(nowMs - atMs) < 12 * hourMs ? formatTime(atMs, zone) : formatInstant(atMs, zone);
}

/** `12:03:04` for an instant of today in the zone, else with its date. */
export function formatDue(atMs: number, nowMs: number, zone: string): string {
  const due = formatInstant(atMs, zone);
  return due.slice(0, 10) === formatInstant(nowMs, zone).slice(0, 10) ? formatTime(atMs, zone) : due;
}

const counts = new Intl.NumberFormat('en');

/** A count with separators: `10,000`. */
export function formatCount(n: number): string {
  return counts.format(n);
}

/** `512 B`, `1.4 kB`, `2.1 MB` (powers of 1000). */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes}${gap}B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)}${gap}kB`;
  return `${(bytes / 1_000_000).toFixed(1)}${gap}MB`;
}

const unfits = new RegExp(unfit, 'gu');

/** A space replaces each character that hides or turns a client's text. The length stays, so that places in it do. */
export const plain = (text: string): string => text.replace(unfits, ' ');

/** A longer name keeps both ends. The whole belongs in a title. */
export function cutName(given: string, max: number): string {
  const name = plain(given);
  if (name.length <= max) return name;
  // Counts characters, because half of one would be unreadable.
  const all = [...name];
  if (all.length <= max) return name;
  const head = Math.ceil((max - 1) / 2);
  return `${all.slice(0, head).join('')}…${all.slice(all.length - (max - 1 - head)).join('')}`;
}

/** Leading path, name, and the layout's suffix. */
export interface NameParts {
  readonly lead: string;
  readonly last: string;
  readonly tail: string;
}

/** The last meaningful part is the name. `/.lock` and `/.lockinfo` identify no lock, so they become the tail. */
export function nameParts(name: string): NameParts {
  const tail = /\/\.lock(info)?$/.exec(name)?.[0] ?? '';
  const body = tail === '' ? name : name.slice(0, -tail.length);
  // A key `a/b/` is called `b/`.
  const cut = body.lastIndexOf('/', body.length - 2);
  return { lead: body.slice(0, cut + 1), last: body.slice(cut + 1), tail };
}
