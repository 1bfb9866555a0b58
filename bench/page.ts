/** `docs/benchmarks.md`: a section for each benchmark, replaced by the newest run of it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { inProject } from '@/scripts/project.mjs';
import type { Figure, Table } from './figure';

export interface Measured {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly table: Table;
  /** The version of Consul. */
  readonly consul: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

const page = () => inProject('docs', 'benchmarks.md');

const head = `# Benchmarks

What Signalbox claims about speed and scale, measured beside what it is compared with, in one run on one machine. Written by \`npm run bench\`; \`npm run bench -- wake bytes\` measures some again and replaces their sections. A ratio carries over to another machine better than a time does. Goals that were missed stay in the table, with what is known of the reason below it.
`;

const factor = (value: number) => (value < 10 ? value.toFixed(2) : Math.round(value).toString());
const ratio = ({ ratio, ratioError }: Figure) =>
  ratio === null ? '' : `${factor(ratio)}x${ratioError === undefined ? '' : ` ± ${factor(ratioError)}`}`;
const verdict = ({ met }: Figure) => (met === null ? '' : met ? 'met' : '**missed**');

function tableOf({ compared, figures, notes = [] }: Table): string {
  const rows = figures.map(
    (one) =>
      `| ${one.what} | ${one.ours} | ${one.compared} | ${ratio(one)} | ${one.goal ?? ''} | ${verdict(one)} |`,
  );
  return [
    `| | Signalbox | ${compared} | ratio | goal | |`,
    '|---|---|---|---|---|---|',
    ...rows,
    ...(notes.length === 0 ? [] : ['', ...notes.map((note) => `- ${note}`)]),
  ].join('\n');
}

const marks = (name: string) => ({ begin: `<!-- bench:${name} -->`, end: `<!-- /bench:${name} -->` });

function sectionOf(measured: Measured): string {
  const { begin, end } = marks(measured.name);
  const [cpu] = cpus();
  const machine = `${cpus().length} cores (${cpu?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}, Consul ${measured.consul}`;
  return [
    begin,
    `## ${measured.title}`,
    '',
    measured.about,
    '',
    tableOf(measured.table),
    '',
    `\`npm run bench -- ${measured.name}\`, ${measured.at.slice(0, 16).replace('T', ' ')} UTC, ${machine}.`,
    end,
  ].join('\n');
}

/** The table as it is shown on a terminal. */
export function printed({ table }: Measured): string {
  return tableOf(table);
}

/** Puts the sections of these runs in the place of older ones. `order`: of all sections. */
export function writePage(runs: readonly Measured[], order: readonly string[]): void {
  const before = existsSync(page()) ? readFileSync(page(), 'utf8') : '';
  const sections = order.flatMap((name) => {
    const run = runs.find((one) => one.name === name);
    if (run !== undefined) return [sectionOf(run)];
    const { begin, end } = marks(name);
    const [from, to] = [before.indexOf(begin), before.indexOf(end)];
    return from === -1 || to === -1 ? [] : [before.slice(from, to + end.length)];
  });
  writeFileSync(page(), `${[head, ...sections].join('\n')}\n`);
}
