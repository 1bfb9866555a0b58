/** The table in `docs/operations.md` of the Consul versions that passed; a whole passing run of `npm test` writes it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { oldVersion } from './consul-versions.mjs';
import { pinnedVersion } from './hashicorp.mjs';
import { inProject } from './project.mjs';

const begin = '<!-- tested: written by npm test -->';
const end = '<!-- /tested -->';
const head = '| Consul | passed | when |\n| --- | --- | --- |\n';

/**
 * The table after another run. It replaces the rows of the versions that ran, and keeps the others.
 * @param {string} document
 * @param {{ main: string, old: string | null, day: string }} run `day` as `2026-11-23`
 * @returns {string} the document
 */
export function withTested(document, { main, old, day }) {
  const [before, rest] = document.split(begin);
  const [table, after] = (rest ?? '').split(end);
  if (before === undefined || table === undefined || after === undefined)
    throw new Error('docs/operations.md has lost the marks of its table of tested versions.');
  /** @type {Map<string, string>} */
  const rows = new Map();
  for (const [row, version = ''] of table.matchAll(/^\| (\d\S*) \|.*$/gm)) rows.set(version, row);
  // The two versions of every run carry no day, which would change the file each time.
  const when = (/** @type {string} */ version) =>
    version === pinnedVersion || version === oldVersion ? 'every run' : day;
  rows.set(main, `| ${main} | every tier | ${when(main)} |`);
  if (old !== null) rows.set(old, `| ${old} | integration tier | ${when(old)} |`);
  const newestFirst = [...rows].sort(([a], [b]) => b.localeCompare(a, 'en', { numeric: true }));
  return `${before}${begin}\n${head}${newestFirst.map(([, row]) => `${row}\n`).join('')}${end}${after}`;
}

/** @param {{ main: string, old: string | null }} run */
export function writeTested(run) {
  const file = inProject('docs/operations.md');
  const document = readFileSync(file, 'utf8');
  const written = withTested(document, { ...run, day: new Date().toISOString().slice(0, 10) });
  if (written !== document) writeFileSync(file, written);
}
