/** Writes `docs/truth.md` from the truth table: `node scripts/truth.mjs`. Needs the installed packages. */
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { bundle } from './bundle.mjs';
import { inProject } from './project.mjs';

const outDir = await bundle({
  entries: {
    'truth-table': 'test/truth/table.ts',
    'truth-shapes': 'test/truth/shapes.ts',
    'truth-document': 'test/truth/document.ts',
  },
});
/** @param {string} name */
const load = (name) => import(pathToFileURL(`${outDir}/${name}.mjs`).href);
const { chapters } = await load('truth-table');
const { shapes } = await load('truth-shapes');
const { truthDocument } = await load('truth-document');
const file = inProject('docs/truth.md');
writeFileSync(file, truthDocument(chapters, shapes));
console.log(
  `${file}: ${chapters.flatMap((/** @type {any} */ chapter) => chapter.situations).length} situations`,
);
