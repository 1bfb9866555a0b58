/** `docs/benchmarks.md`: one run of every benchmark on one tree. */
import { writeFileSync } from 'node:fs';
import { inProject } from '@/scripts/project.mjs';
import { type Bench, type Figure, type Table, times } from './figure';

export interface Result {
  readonly table: Table;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
}

/** A section; `result` is `null` when the benchmark failed. */
export type Measured = Omit<Bench, 'run'> & { readonly result: Result | null };

/** The facts that hold for every section. */
export interface Run {
  /** The commit, and a mark when files differed from it; `null` outside of git. */
  readonly tree: string | null;
  /** The version of Consul, and the origin of its binary. */
  readonly consul: string;
  readonly node: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly endedAt: string;
  /** The load averages of 1, 5 and 15 minutes. */
  readonly loadBefore: readonly number[];
  readonly loadAfter: readonly number[];
}

const minute = (iso: string) => iso.slice(0, 16).replace('T', ' ');
const loads = (all: readonly number[]) => all.map((one) => one.toFixed(2)).join(', ');
const anchor = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');

const ratio = ({ ratio, ratioError }: Figure) =>
  ratio === null
    ? ''
    : `${times(ratio)}${ratioError === undefined ? '' : ` ± ${times(ratioError).slice(0, -1)}`}`;

/** The table in a fixed width, for the page and the terminal. */
export function printed({ compared, figures, notes = [] }: Table): string {
  const rows = figures.map(
    (one) =>
      `| ${one.what} | ${one.ours} | ${one.compared} | ${ratio(one)} | ${one.goal?.text ?? ''} | ${one.goal?.verdict ?? ''} |`,
  );
  return [
    `| | Signalbox | ${compared} | ratio | goal | |`,
    '|---|---|---|---|---|---|',
    ...rows,
    ...(notes.length === 0 ? [] : ['', ...notes.map((note) => `- ${note}`)]),
  ].join('\n');
}

const sectionOf = ({ title, about, result }: Measured): string =>
  `## ${title}\n\n${about}\n\n${result === null ? '**Not measured**: the benchmark failed in this run.' : printed(result.table)}\n`;

/** The start, and the goals that were met and missed. */
function cellsOf(result: Result | null): readonly [string, string] {
  if (result === null) return ['', '**not measured**'];
  const goals = result.table.figures.flatMap(({ goal }) => (goal === null ? [] : [goal]));
  const missed = goals.filter(({ met }) => !met).length;
  const words =
    goals.length === 0
      ? 'none set'
      : missed === 0
        ? `${goals.length} met`
        : `${goals.length - missed} met, **${missed} missed**`;
  return [minute(result.startedAt).slice(11), words];
}

const rowOf = ({ title, excluded, result }: Measured) =>
  `| [${title}](#${anchor(title)}) | ${cellsOf(result).join(' | ')} | ${excluded} |`;

function headOf(run: Run, all: readonly Measured[]): string {
  return `# Benchmarks

\`npm run bench\` measured all of this in one run and wrote this page. Each figure stands beside what it is compared with, measured in the same minutes. A ratio carries over to another machine better than a time does. A missed goal says by how much.

- Tree: ${run.tree ?? 'not under git'}
- Consul: ${run.consul}
- Machine: ${run.cores} cores (${run.cpu}), ${run.memoryGb} GB, Node ${run.node}
- Run: ${minute(run.startedAt)} to ${minute(run.endedAt)} UTC
- Load average over 1, 5 and 15 minutes: ${loads(run.loadBefore)} before, ${loads(run.loadAfter)} after

| section | began | goals | warmed up, or not counted |
|---|---|---|---|
${all.map(rowOf).join('\n')}
`;
}

export const pageOf = (run: Run, all: readonly Measured[]): string =>
  [headOf(run, all), ...all.map(sectionOf)].join('\n');

export const writePage = (run: Run, all: readonly Measured[]): void =>
  writeFileSync(inProject('docs', 'benchmarks.md'), pageOf(run, all));
