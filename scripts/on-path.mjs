/** Programs on the PATH. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * A program on the PATH.
 * @param {string} name
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {string | null}
 */
export function onPath(name, env) {
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    if (folder === '') continue;
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      if (statSync(path).isFile()) return path;
    } catch {
      // Not here: the next folder.
    }
  }
  return null;
}
