'use client';
import { useMemo, useState } from 'react';
import type { Finding } from '@/lib/domain/findings/finding';

/** A finding that was there and is not any more. */
export interface Gone {
  readonly finding: Finding;
  /** The instant of the first world without it. */
  readonly atMs: number;
}

/** The operator who mended a finding can read its end in this time. */
export const goneShownMs = 15_000;
/** An operator does not read more of them one by one. */
const goneMax = 100;

/** An operator cannot have read a finding that was on the page for less. */
const readMsMin = 1_000;

interface Sightings {
  readonly findings: readonly Finding[];
  /** Instants at which findings appeared, by id. Findings that the page opened with have none. */
  readonly since: ReadonlyMap<string, number>;
  readonly gone: readonly Gone[];
}

/** The sightings after one more world. A finding that returns is not gone. The others keep their time. */
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
  const stillGone = gone.filter(({ finding }) => !present.has(finding.id));
  const sinceNow = new Map<string, number>();
  for (const id of present) {
    const sinceMs = known.has(id) ? since.get(id) : atMs;
    if (sinceMs !== undefined) sinceNow.set(id, sinceMs);
  }
  return { findings, since: sinceNow, gone: [...fresh, ...stillGone].slice(0, goneMax) };
}

/**
 * Findings that have ended: `all`, and the `fresh` ones that the list still shows. A finding is gone when a live world
 * lacks it, never because an action says so.
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
