/**
 * Prefixes that every version of Consul reads as they are written. Since 1.22 a path is cleaned (`a//` is `a/`) or refused, and before
 * that some were led elsewhere: a watch of such a prefix fails for good, or shows another one.
 */
import { breaksKeyRule } from './key-rule';

const isKept = (root: string) => !breaksKeyRule(root) && !/\p{Cc}/u.test(root);

/** What to write instead of a prefix that is not read as it is, '' for every key; `null` for one that is. */
export function betterRoot(root: string): string | null {
  if (root === '') return null;
  const parts = root.split('/');
  const kept: string[] = [];
  const last = parts.length - 1;
  let isFolder = parts[last] === '';
  for (const part of parts) {
    if (part === '' || part === '.') continue;
    if (!isKept([...kept, part].join('/'))) {
      isFolder = true;
      break;
    }
    kept.push(part);
  }
  isFolder ||= parts[last] === '.';
  const better = kept.length === 0 ? '' : `${kept.join('/')}${isFolder ? '/' : ''}`;
  return better === root ? null : better;
}
