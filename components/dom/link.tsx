'use client';
/**
 * Links between pages of the console. Each is an anchor and nothing else, so that a list can draw dozens of them with each
 * scroll; the frame follows them all. The framework's own link is 3 kB of the first load, and five components' work each.
 */
import { useRouter } from 'next/navigation';
import { useEffect } from 'react';

interface LinkProps extends React.ComponentProps<'a'> {
  readonly href: string;
  /** False in lists: the server would be asked for each row that is pointed at. */
  readonly prefetch?: boolean;
}

export function Link({ prefetch = true, ...anchor }: LinkProps) {
  return <a data-link={prefetch ? 'ahead' : 'plain'} {...anchor} />;
}

/** Where a link leads, and what it is. By attributes: in a drawing an anchor has no other members of that kind. */
function linkOf(event: Event): { readonly to: URL; readonly ahead: boolean; readonly target: string } | null {
  const link = event.target instanceof Element ? event.target.closest('a[data-link]') : null;
  const href = link?.getAttribute('href') ?? null;
  if (link === null || href === null) return null;
  return {
    to: new URL(href, window.location.href),
    ahead: link.getAttribute('data-link') === 'ahead',
    target: link.getAttribute('target') ?? '',
  };
}

const addressOf = ({ pathname, search, hash }: URL) => `${pathname}${search}${hash}`;

/** A press that the browser would answer in this same window. */
function staysHere(event: MouseEvent): boolean {
  const { button, metaKey, ctrlKey, shiftKey, altKey } = event;
  return button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey;
}

/** Follows links without another document, and asks for the pages ahead that somebody points at. A hook of the frame. */
export function useLinks(): void {
  const router = useRouter();
  useEffect(() => {
    const onClick = (event: MouseEvent) => {
      const link = linkOf(event);
      if (link === null || event.defaultPrevented || !staysHere(event)) return;
      if (link.target !== '' || link.to.origin !== window.location.origin) return;
      event.preventDefault();
      router.push(addressOf(link.to));
    };
    const onNear = (event: Event) => {
      const link = linkOf(event);
      if (link?.ahead === true) router.prefetch(addressOf(link.to));
    };
    document.addEventListener('click', onClick);
    document.addEventListener('pointerover', onNear, { passive: true });
    document.addEventListener('focusin', onNear);
    return () => {
      document.removeEventListener('click', onClick);
      document.removeEventListener('pointerover', onNear);
      document.removeEventListener('focusin', onNear);
    };
  }, [router]);
}
