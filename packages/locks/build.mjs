/**
 * Builds the package into `dist`: one module, which carries the Consul client that the console uses, and the declarations of
 * what is public. `npm pack` runs it. A program of this repository that imports the package needs `buildProgram` alone.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '../..');
const dist = join(here, 'dist');

/**
 * Runs `work` with a folder for drafts, removed after, and a `put` that writes a file of `dist`. Builds may run side by side while
 * a program loads what they write, so each file appears whole.
 * @param {(drafts: string, put: (name: string, text: string) => void) => void | Promise<void>} work
 */
async function withDrafts(work) {
  mkdirSync(dist, { recursive: true });
  const drafts = mkdtempSync(join(here, '.draft-'));
  try {
    await work(drafts, (name, text) => {
      writeFileSync(join(drafts, name), text);
      renameSync(join(drafts, name), join(dist, name));
    });
  } finally {
    rmSync(drafts, { recursive: true, force: true });
  }
}

/**
 * Writes `dist/index.js`: our own sources. Packages of others stay outside.
 * @returns {Promise<void>}
 */
export async function buildProgram() {
  const { build } = await import('rolldown');
  const { dependencies } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
  const { output } = await build({
    cwd: root,
    input: join(here, 'src/index.ts'),
    platform: 'node',
    external: Object.keys(dependencies),
    logLevel: 'warn',
    resolve: { alias: { '@': root } },
    output: { format: 'esm' },
    write: false,
  });
  await withDrafts((_, put) => put('index.js', output[0].code));
}

/**
 * Writes `dist/index.d.ts` and what it reaches. TypeScript leaves out whatever is `@internal`, so that nothing of the console, of
 * zod or of Node is among it: a program needs no option and no further package to use it.
 */
function buildDeclarations() {
  return withDrafts((drafts, put) => {
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [tsc, '-p', join(here, 'tsconfig.build.json'), '--outDir', drafts], {
      stdio: 'inherit',
    });
    // Grows while it is read.
    const names = ['index'];
    for (const name of names) {
      const declared = readFileSync(join(drafts, 'packages/locks/src', `${name}.d.ts`), 'utf8');
      const text = declared.replace(/(?<=from ')[^']+/g, (specifier) => {
        const other = /^\.\/([\w-]+)$/.exec(specifier)?.[1];
        if (other === undefined)
          throw new Error(`${name}.ts shows a type of ${specifier}: mark it @internal.`);
        if (!names.includes(other)) names.push(other);
        return `${specifier}.js`;
      });
      // `AsyncDisposable`, for programs whose own settings do not bring it.
      put(`${name}.d.ts`, name === 'index' ? `/// <reference lib="esnext.disposable" />\n${text}` : text);
    }
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await buildProgram();
  await buildDeclarations();
}
