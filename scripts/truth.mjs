/**
 * `node scripts/truth.mjs` writes `docs/truth.md`, and the count in `README.md`, from the truth table. Needs the
 * installed packages.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { bundle } from './bundle.mjs';
import { inProject } from './project.mjs';

const outDir = await bundle({
  entries: {
    'truth-table': 'quality/truth/table.ts',
    'truth-shapes': 'quality/truth/shapes.ts',
    'truth-document': 'quality/truth/document.ts',
  },
});
/** @param {string} name */
const load = (name) => import(pathToFileURL(`${outDir}/${name}.mjs`).href);
const { chapters, situations } = await load('truth-table');
const { shapes } = await load('truth-shapes');
const { madeCount, readmeWith, truthDocument } = await load('truth-document');
const file = inProject('docs/truth.md');
writeFileSync(file, truthDocument(chapters, shapes));
const count = madeCount(situations);
const readme = inProject('README.md');
writeFileSync(readme, readmeWith(readFileSync(readme, 'utf8'), count));
console.log(`${file}: ${count} situations`);
