/** Paths of nodes. The root is `/`; no other path ends with a slash. */

export const joinPath = (parent: string, name: string): string =>
  parent === '/' ? `/${name}` : `${parent}/${name}`;

export const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';

/** True when `path` is `root`, or below it. */
export const isWithin = (root: string, path: string): boolean =>
  root === '/' || path === root || path.startsWith(`${root}/`);

/** The rule of the servers' `PathUtils.validatePath`, without names that only their tools may use. */
const forbidden = /[\p{Cc}\p{Cs}\p{Co}\ufff0-\uffff]|\/\/|\/\.{1,2}(\/|$)/u;

export const isPath = (path: string): boolean =>
  path === '/' || (path.startsWith('/') && !path.endsWith('/') && !forbidden.test(path));

/** The servers' name of a path within the chroot. */
export const underChroot = (chroot: string, path: string): string =>
  path === '/' && chroot !== '' ? chroot : `${chroot}${path}`;

/** The reverse; `null`: outside the chroot. */
export function fromChroot(chroot: string, path: string): string | null {
  if (chroot === '') return path;
  if (path === chroot) return '/';
  return path.startsWith(`${chroot}/`) ? path.slice(chroot.length) : null;
}
