/** Paths of nodes. The root is `/`; no other path ends with a slash. */

export const joinPath = (parent: string, name: string): string =>
  parent === '/' ? `/${name}` : `${parent}/${name}`;

export const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';

/** `path` is `root`, or below it. */
export const isWithin = (root: string, path: string): boolean =>
  root === '/' || path === root || path.startsWith(`${root}/`);

/** As `PathUtils.validatePath` of the servers, without what only tools of theirs may name. */
const forbidden = /[\p{Cc}\p{Cs}\p{Co}\ufff0-\uffff]|\/\/|\/\.{1,2}(\/|$)/u;

export const isPath = (path: string): boolean =>
  path === '/' || (path.startsWith('/') && !path.endsWith('/') && !forbidden.test(path));

/** A path within the chroot as the servers know it. */
export const underChroot = (chroot: string, path: string): string =>
  path === '/' && chroot !== '' ? chroot : `${chroot}${path}`;

/** The other way; `null`: it is outside. */
export function fromChroot(chroot: string, path: string): string | null {
  if (chroot === '') return path;
  if (path === chroot) return '/';
  return path.startsWith(`${chroot}/`) ? path.slice(chroot.length) : null;
}
