'use client';
import { useMemo, useState } from 'react';
import type { Finding } from '@/lib/domain/findings/finding';

/** A finding that was there and is not any more. */
export interface Gone {
  readonly finding: Finding;
  /** When it was seen to be gone: the instant of the world that lacks it. */
  readonly atMs: number;
}

/** Long enough to be read by whoever mended it. */
export const goneShownMs = 15_000;
/** More at once are not read one by one. */
const goneMax = 100;

/** Nobody reads one that was on the page for less, whenever the server showed it. */
const readMsMin = 1_000;

interface Sightings {
  readonly findings: readonly Finding[];
  /** Since when each of them is seen. Those that the page opened with are not in it. */
  readonly since: ReadonlyMap<string, number>;
  readonly gone: readonly Gone[];
}

/**
 * What was seen after one more look. What comes back is not gone. What went long ago is kept with its time, for a row that
 * is held in place may show it longer.
 */
export function seenNext(
  { findings: before, since, gone }: Sightings,
  findings: readonly Finding[],
  atMs: number,
): Sightings {
  const present = new Set(findings.map(({ id }) => id));
  const known = new Set(before.map(({ id }) => id));
  const fresh = before
    .filter(({ id }) => !present.has(id) && atMs - (since.get(id) ?? 0) >= readMsMin)
    .map((finding) => ({ finding, atMs }));
  const kept = gone.filter(({ finding }) => !present.has(finding.id));
  const sinceNow = new Map<string, number>();
  for (const id of present) {
    const sinceMs = known.has(id) ? since.get(id) : atMs;
    if (sinceMs !== undefined) sinceNow.set(id, sinceMs);
  }
  return { findings, since: sinceNow, gone: [...fresh, ...kept].slice(0, goneMax) };
}

/**
 * Findings that were seen to go while the page was open. A finding counts as gone by a live world that lacks it,
 * never by an action that said so; without live data nothing is concluded.
 */
export function useGone(
  findings: readonly Finding[],
  { asOfMs, live, nowMs }: { asOfMs: number; live: boolean; nowMs: number },
): { readonly all: readonly Gone[]; readonly fresh: readonly Gone[] } {
  const [seen, setSeen] = useState<Sightings>({ findings, since: new Map(), gone: [] });
  if (live && seen.findings !== findings) setSeen(seenNext(seen, findings, asOfMs));
  const fresh = seen.gone.filter(({ atMs }) => nowMs - atMs < goneShownMs).length;
  return useMemo(() => ({ all: seen.gone, fresh: seen.gone.slice(0, fresh) }), [seen.gone, fresh]);
}
