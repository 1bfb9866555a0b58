/** `docs/fuzzing.md`: the cases, their numbers, and the results. */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { inProject } from '@/scripts/project.mjs';
import { type Result, type Target, takenShare } from './target';

const head = `# Bad input

\`npm run fuzz\` bends all outside input in every way that a seed leads to, and writes this page. It asks at least a million cases; \`npm test\` asks thousands of the same. A failure prints the smallest case that shows it, and the command that repeats it.

- **taken**: the share of inputs that were not refused, so that got behind the first check. Below 1 % the run fails. "–": nothing can be refused.
- **slowest**: the longest time of one case, which a single input can hold up.

Oracles that share no code with Signalbox (\`quality/fuzz/oracle.ts\`) compare a world with its rows, and a patch with the differences. Requests reach a server on a real Consul with ACLs on, half of them with a token that may read.
`;

/** What holds for the whole run. */
export interface PageFacts {
  readonly command: string;
  readonly consul: string;
  /** The commit, and a mark when files differed from it. */
  readonly tree: string;
}

/** Replaces the page. */
export function writePage(
  results: readonly Result[],
  targets: readonly Target[],
  { command, consul, tree }: PageFacts,
): void {
  const rows = results.map((result) => {
    const { name, cases, tookMs, slowestMs } = result;
    const guarantee = targets.find((one) => one.name === name)?.guarantee ?? '';
    return `| ${name} | ${guarantee} | ${cases.toLocaleString('en')} | ${takenShare(result) ?? '–'} | ${(tookMs / 1000).toFixed(0)} s | ${slowestMs.toFixed(1)} ms |`;
  });
  const all = results.reduce((sum, one) => sum + one.cases, 0);
  const text = [
    head,
    '| input | what holds | cases | taken | took | slowest |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
    `${all.toLocaleString('en')} cases, nothing broken. \`${command}\`, tree ${tree}, Consul ${consul}, ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, ${cpus().length} cores (${cpus()[0]?.model.trim()}), Node ${process.versions.node}.`,
    '',
  ];
  writeFileSync(inProject('docs', 'fuzzing.md'), text.join('\n'));
}
