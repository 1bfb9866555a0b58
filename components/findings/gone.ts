'use client';
import { useMemo, useState } from 'react';
import type { Finding } from '@/lib/domain/finding';

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

interface Seen {
  readonly findings: readonly Finding[];
  readonly gone: readonly Gone[];
}

/**
 * What is gone after one more look. What comes back is not gone. What went long ago is kept with its time, for a row that
 * is held in place may show it longer.
 */
export function goneAfter(
  { findings: before, gone }: Seen,
  findings: readonly Finding[],
  atMs: number,
): readonly Gone[] {
  const present = new Set(findings.map(({ id }) => id));
  const fresh = before.filter(({ id }) => !present.has(id)).map((finding) => ({ finding, atMs }));
  const kept = gone.filter(({ finding }) => !present.has(finding.id));
  return [...fresh, ...kept].slice(0, goneMax);
}

/**
 * Findings that were seen to go while the page was open. A finding counts as gone by a live world that lacks it,
 * never by an action that said so; without live data nothing is concluded.
 */
export function useGone(
  findings: readonly Finding[],
  { asOfMs, live, nowMs }: { asOfMs: number; live: boolean; nowMs: number },
): { readonly all: readonly Gone[]; readonly fresh: readonly Gone[] } {
  const [seen, setSeen] = useState<Seen>({ findings, gone: [] });
  if (live && seen.findings !== findings) setSeen({ findings, gone: goneAfter(seen, findings, asOfMs) });
  const fresh = seen.gone.filter(({ atMs }) => nowMs - atMs < goneShownMs).length;
  return useMemo(() => ({ all: seen.gone, fresh: seen.gone.slice(0, fresh) }), [seen.gone, fresh]);
}
