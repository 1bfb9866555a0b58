/**
 * Checks that the server stays flat: memory after garbage collection, sockets, timers, other descriptors and children,
 * sampled throughout, in thirds. The first third warms up. The excess of the last over the middle one is a leak.
 */
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inProject } from '@/scripts/project.mjs';
import { until } from '@/test/support/until';

/** One look at the server's process. Bytes, and counts. */
export interface Sample {
  readonly atMs: number;
  /** A new process begins with new memory. */
  readonly pid: number;
  readonly rss: number;
  readonly heap: number;
  /** Buffers, and native memory held for JavaScript. */
  readonly external: number;
  readonly timers: number;
  readonly sockets: number;
  readonly files: number;
  readonly threads: number;
  readonly children: number;
}

const measures = ['rss', 'heap', 'external', 'timers', 'sockets', 'files', 'threads', 'children'] as const;
export type Measure = (typeof measures)[number];

export interface Flat {
  readonly measure: Measure;
  /** Medians of the thirds. */
  readonly first: number;
  readonly middle: number;
  readonly last: number;
  /** Growth for an hour, by least squares. */
  readonly perHour: number;
}

const median = (list: readonly number[]) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;

/** The samples of the process with the longest observation. */
function longestOf(samples: readonly Sample[]): readonly Sample[] {
  const of = (wanted: number) => samples.filter(({ pid }) => pid === wanted);
  return samples.reduce<readonly Sample[]>(
    (most, { pid }) => (of(pid).length > most.length ? of(pid) : most),
    [],
  );
}

/** The thirds of the samples, for the process with the longest observation. */
export function flatness(samples: readonly Sample[]): readonly Flat[] {
  const longest = longestOf(samples);
  const third = Math.max(1, Math.floor(longest.length / 3));
  const meanMs = longest.reduce((sum, { atMs }) => sum + atMs, 0) / longest.length;
  const spread = longest.reduce((sum, { atMs }) => sum + (atMs - meanMs) ** 2, 0);
  return measures.map((measure) => {
    const values = (list: readonly Sample[]) => list.map((one) => one[measure]);
    const slope = longest.reduce((sum, one) => sum + (one.atMs - meanMs) * one[measure], 0) / (spread || 1);
    return {
      measure,
      first: median(values(longest.slice(0, third))),
      middle: median(values(longest.slice(third, -third))),
      last: median(values(longest.slice(-third))),
      perHour: slope * 3_600_000,
    };
  });
}

/** Measures that must be flat, each with the excess of the last third that is no leak. */
export const flatMeasures: readonly Measure[] = ['heap', 'rss', 'sockets'];
export const flatShare = 0.05;
/** The fewest samples, over the shortest time, whose thirds say something. */
export const flatFrom = { samples: 30, minutes: 15 } as const;

/** True when one process was observed for long enough. */
export function hasThirds(samples: readonly Sample[]): boolean {
  const longest = longestOf(samples);
  const lookedMs = (longest.at(-1)?.atMs ?? 0) - (longest[0]?.atMs ?? 0);
  return longest.length >= flatFrom.samples && lookedMs >= flatFrom.minutes * 60_000;
}

/** Measures that have grown and must be flat; empty without thirds. */
export function grown(samples: readonly Sample[]): readonly Flat[] {
  if (!hasThirds(samples)) return [];
  return flatness(samples).filter(
    ({ measure, middle, last }) => flatMeasures.includes(measure) && last > middle * (1 + flatShare),
  );
}

const bytes = new Set<Measure>(['rss', 'heap', 'external']);

/** The table of `docs/faults.md`. Markdown. */
export function flatTable(samples: readonly Sample[]): string {
  const shown = (measure: Measure, value: number) =>
    bytes.has(measure) ? `${(value / 1024 / 1024).toFixed(1)} MB` : value.toFixed(value % 1 === 0 ? 0 : 1);
  const leaks = grown(samples).map(({ measure }) => measure);
  const verdict = (measure: Measure) => {
    if (!flatMeasures.includes(measure)) return 'not asserted';
    if (!hasThirds(samples)) return `not asserted below ${flatFrom.minutes} minutes`;
    return leaks.includes(measure) ? '**grew**' : 'flat';
  };
  const rows = flatness(samples).map(({ measure, first, middle, last, perHour }) => {
    const values = [first, middle, last, perHour].map((value) => shown(measure, value));
    return `| ${[measure, ...values, verdict(measure)].join(' | ')} |`;
  });
  const longest = longestOf(samples);
  const minutes = ((longest.at(-1)?.atMs ?? 0) - (longest[0]?.atMs ?? 0)) / 60_000;
  return [
    `The process with the longest observation: ${longest.length} looks in ${minutes.toFixed(0)} minutes.`,
    '',
    '| of the server, after garbage was collected | first third | middle third | last third | slope an hour | |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

export interface Probe {
  /** The environment of the observed server. */
  readonly env: Readonly<Record<string, string>>;
  /** Takes a sample. `null`: the process ended meanwhile. `snapshot`: also writes a heap snapshot. */
  look(pid: number, options?: { readonly snapshot?: boolean }): Promise<Sample | null>;
  readonly folder: string;
  close(): void;
}

/** Descriptors and children of a process, from `/proc`. */
function belongings(pid: number) {
  const links = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
    } catch {
      // Closed meanwhile.
      return [];
    }
  });
  const sockets = links.filter((link) => link.startsWith('socket:')).length;
  const tasks = readdirSync(`/proc/${pid}/task`);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean);
  return { sockets, files: links.length - sockets, threads: tasks.length, children: children.length };
}

/** Linux only, where `/proc` is. */
export function createProbe(): Probe {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-probe-'));
  const path = join(folder, 'samples');
  const read = () => {
    try {
      return readFileSync(path, 'utf8').split('\n').filter(Boolean);
    } catch {
      return [];
    }
  };
  return {
    folder,
    env: { SIGNALBOX_PROBE: path, NODE_OPTIONS: `--require=${inProject('quality/chaos/soak-probe.cjs')}` },
    look: async (pid, { snapshot = false } = {}) => {
      try {
        const before = read().length;
        if (snapshot) (await import('node:fs')).writeFileSync(`${path}.snapshot`, '');
        process.kill(pid, 'SIGUSR2');
        const line = await until(() => read()[before], { what: 'the probe to answer', timeoutMs: 60_000 });
        const { rss, heapUsed, external, resources } = JSON.parse(line) as {
          rss: number;
          heapUsed: number;
          external: number;
          resources: Record<string, number>;
        };
        const timers = resources.Timeout ?? 0;
        return { atMs: performance.now(), pid, rss, heap: heapUsed, external, timers, ...belongings(pid) };
      } catch {
        return null;
      }
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
