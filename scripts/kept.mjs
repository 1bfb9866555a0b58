/** Folders in the cache of fetched programs, each made once. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './consul-binary.mjs';

/**
 * A folder of the cache. `make` makes a missing one, inside an empty folder. It appears in one step, because another
 * process may do the same, and the earlier result stays.
 * @param {string} name
 * @param {((dir: string) => Promise<string>) | null} make the path of what it has made, inside `dir`. `null`: a missing one
 *   is an error
 * @returns {Promise<string>}
 */
export async function keptFolder(name, make) {
  const cache = cacheFolder(process.env);
  const kept = join(cache, name);
  if (existsSync(kept)) return kept;
  if (make === null) throw new Error(`${name} was not fetched before`);
  mkdirSync(cache, { recursive: true });
  const dir = mkdtempSync(join(cache, 'fetch-'));
  try {
    const made = await make(dir);
    try {
      renameSync(made, kept);
    } catch (error) {
      if (!existsSync(kept)) throw error;
    }
    return kept;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
