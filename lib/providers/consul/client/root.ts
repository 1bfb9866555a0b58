/**
 * Prefixes that every version of Consul reads as written. Consul 1.22 and later clean a path (`a//` is `a/`) or refuse
 * it, and earlier versions redirect some. A watch would then fail for good, or show another prefix.
 */
import { ProblemError } from '@/lib/domain/problem';
import { breaksKeyRule } from './key-rule';

const isKept = (root: string) => !breaksKeyRule(root) && !/\p{Cc}/u.test(root);

/** The prefix to write instead, '' for every key; `null` if Consul reads `root` as written. */
export function betterRoot(root: string): string | null {
  if (root === '') return null;
  const parts = root.split('/');
  const retained: string[] = [];
  const last = parts.length - 1;
  let isFolder = parts[last] === '';
  for (const part of parts) {
    if (part === '' || part === '.') continue;
    if (!isKept([...retained, part].join('/'))) {
      isFolder = true;
      break;
    }
    retained.push(part);
  }
  isFolder ||= parts[last] === '.';
  const better = retained.length === 0 ? '' : `${retained.join('/')}${isFolder ? '/' : ''}`;
  return better === root ? null : better;
}

/**
 * The prefixes in a comma-separated list; `['']` for none. Throws `invalid` with the `place` of the list and the better
 * prefix.
 */
export function rootsOf(text: string, place: string): readonly string[] {
  const roots = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  for (const root of roots) {
    const better = betterRoot(root);
    if (better === null) continue;
    const next =
      better === '' ? 'Leave it out to watch every key' : `Write ${JSON.stringify(better)} instead`;
    throw new ProblemError({
      code: 'invalid',
      detail: `${place} has ${JSON.stringify(root)}, which Consul refuses or reads as another prefix. ${next}.`,
    });
  }
  return roots.length === 0 ? [''] : roots;
}
