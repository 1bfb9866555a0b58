'use client';
/** Marks the matched letters, wherever they are in a row. */
import { createContext, use, useMemo } from 'react';
import { useMessages } from '@/components/dom/locale';
import type { Lock, Semaphore, Session } from '@/lib/domain/model';
import { readPasted } from '@/lib/view/search/line';
import type { Pasted } from '@/lib/view/search/pasted';
import { type Field, fieldsOf } from '@/lib/view/search/search-index';
import { closeRanges } from '@/lib/view/search/typo';

const SoughtContext = createContext<Pasted | null>(null);

/** The search text of the rows below. */
export function Sought({ text, children }: { text: string; children: React.ReactNode }) {
  const pasted = useMemo(() => (text.trim() === '' ? null : readPasted(text)), [text]);
  return <SoughtContext value={pasted}>{children}</SoughtContext>;
}

/** The ranges in order, without overlap. */
export function rangesIn(text: string, pasted: Pasted): number[] {
  const lower = text.toLowerCase();
  // Lower case may be longer than its text, and then places do not correspond.
  if (lower.length !== text.length) return [];
  const spans: [number, number][] = [];
  const words = [
    ...pasted.readings.flat().flatMap((word) => word.split(/…|\.\.\./)),
    ...pasted.keys,
    ...pasted.ids,
    ...[...pasted.mentions].slice(0, 60),
  ].filter((word) => word.length > 1 || pasted.text.length === 1);
  for (const word of words)
    for (let at = lower.indexOf(word); at !== -1; at = lower.indexOf(word, at + word.length))
      spans.push([at, at + word.length]);
  spans.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  const ranges: number[] = [];
  for (const [from, to] of spans) {
    const end = ranges[ranges.length - 1];
    if (end === undefined || from > end) ranges.push(from, to);
    else if (to > end) ranges[ranges.length - 1] = to;
  }
  return ranges;
}

/** A typo is forgiven; empty without a match. */
export function useMarks(name: string): readonly number[] {
  const pasted = use(SoughtContext);
  return useMemo(() => {
    if (pasted === null) return [];
    const ranges = rangesIn(name, pasted);
    return ranges.length > 0 ? ranges : closeRanges(pasted, name);
  }, [name, pasted]);
}

export function Marked({ text, ranges }: { text: string; ranges: readonly number[] }) {
  if (ranges.length === 0) return text;
  const parts: React.ReactNode[] = [];
  let at = 0;
  for (let i = 0; i + 1 < ranges.length; i += 2) {
    const from = Math.max(at, ranges[i] ?? 0);
    const to = Math.min(text.length, ranges[i + 1] ?? 0);
    if (to <= from) continue;
    parts.push(
      text.slice(at, from),
      <mark key={from} className="rounded-[2px] bg-(--flash) text-ink">
        {text.slice(from, to)}
      </mark>,
    );
    at = to;
  }
  parts.push(text.slice(at));
  return parts;
}

/** Characters of a long value that stand around a match. */
const around = 24;

function excerpt({ text }: Field, ranges: readonly number[]): { text: string; ranges: number[] } {
  const start = Math.max(0, (ranges[0] ?? 0) - around);
  const end = Math.min(text.length, (ranges[1] ?? 0) + around);
  const lead = start > 0 ? '…' : '';
  const cut = `${lead}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
  return {
    text: cut,
    ranges: [(ranges[0] ?? 0) - start + lead.length, (ranges[1] ?? 0) - start + lead.length],
  };
}

function whereIn(of: Lock | Semaphore | Session, pasted: Pasted): { field: Field; ranges: number[] } | null {
  const fields = fieldsOf(of);
  for (const field of fields) {
    const ranges = rangesIn(field.text, pasted);
    if (ranges.length > 0) return { field, ranges };
  }
  for (const [head, tail] of pasted.shortened) {
    const field = fields.find(
      ({ what, text }) => what === 'session' && text.startsWith(head) && text.endsWith(tail),
    );
    if (field !== undefined)
      return { field, ranges: [0, head.length, field.text.length - tail.length, field.text.length] };
  }
  return null;
}

/** Names the field that matched: `waiter worker-6`. */
export function Matched({ of, name }: { of: Lock | Semaphore | Session; name: string }) {
  const pasted = use(SoughtContext);
  const { matched } = useMessages().desk.search;
  const match = useMemo(() => {
    if (pasted === null || rangesIn(name, pasted).length > 0) return null;
    return whereIn(of, pasted);
  }, [of, name, pasted]);
  if (pasted === null || match === null) return null;
  const { field, ranges } = match;
  const short = field.text.length > 2 * around + 12 ? excerpt(field, ranges) : { text: field.text, ranges };
  return (
    <span className="min-w-0 shrink-[2] truncate text-[12px] text-ink-dim" title={field.text}>
      {matched[field.what]}{' '}
      <span className="font-mono">
        <Marked text={short.text} ranges={short.ranges} />
      </span>
    </span>
  );
}
