/** The folders of the project. `import.meta.dirname` would need Node 20.11. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder, absolute. */
export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

/**
 * A path inside the project.
 * @param {...string} parts
 * @returns {string}
 */
export function inProject(...parts) {
  return join(root, ...parts);
}

/**
 * A path inside `.signalbox`, the one folder that Signalbox writes to at run time. Git ignores it. SIGNALBOX_STATE
 * names another one, for a second console of the same checkout, or for a test.
 * @param {...string} parts
 * @returns {string}
 */
export function inState(...parts) {
  return join(process.env.SIGNALBOX_STATE || join(root, '.signalbox'), ...parts);
}
