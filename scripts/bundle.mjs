/** Bundles TypeScript programs of this project so that plain Node runs them. Needs the installed packages. */
import { resolve } from 'node:path';
import { buildProgram } from '../packages/locks/build.mjs';
import { inProject, inState, root } from './project.mjs';

/**
 * Writes `<name>.mjs` for each entry, with everything but Node's own modules and the packages in `external`. Without
 * `external`, the files run from anywhere.
 * @param {{ entries: Record<string, string>, outDir?: string, external?: (string | RegExp)[] }} options
 *   `entries`: name to path, from the project's folder; `outDir`: `.signalbox/build` by default; `external`: packages
 *   that cannot be bundled, found in the project's own folder when the files are below it
 * @returns {Promise<string>} `outDir`
 */
export async function bundle({ entries, outDir = inState('build'), external = [] }) {
  const { build } = await import('rolldown');
  await build({
    cwd: root,
    input: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, resolve(root, path)])),
    platform: 'node',
    external,
    logLevel: 'warn',
    // The paths of tsconfig serve the editor. The demo loads the built locks, like any package.
    tsconfig: false,
    resolve: {
      // A package's UMD build (jsonc-parser's `main`) hides its own files behind a `require` that no bundler follows.
      mainFields: ['module', 'main'],
      // `server-only` throws outside Next's server layer, and these programs are servers of their own.
      alias: {
        '@': root,
        '@signalbox/locks': inProject('packages/locks/dist/index.js'),
        'server-only': inProject('node_modules/server-only/empty.js'),
      },
    },
    output: {
      dir: outDir,
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name]-[hash].mjs',
      sourcemap: 'inline',
    },
  });
  return outDir;
}

/**
 * The demo world: `demo.mjs`, which starts processes of `worker.mjs` from its own folder. It imports the package of
 * locks by name, so that is built first.
 * @param {string} [outDir]
 * @returns {Promise<string>} path of `demo.mjs`
 */
export async function bundleDemo(outDir) {
  await buildProgram();
  const folder = await bundle({
    entries: { demo: 'scripts/demo/main.ts', worker: 'scripts/demo/worker.ts' },
    ...(outDir === undefined ? {} : { outDir }),
  });
  return `${folder}/demo.mjs`;
}
