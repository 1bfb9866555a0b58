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

function linkOf(event: Event): HTMLAnchorElement | null {
  return event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-link]') : null;
}

const addressOf = ({ pathname, search, hash }: HTMLAnchorElement) => `${pathname}${search}${hash}`;

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
      if (link.target !== '' || link.origin !== window.location.origin) return;
      event.preventDefault();
      router.push(addressOf(link));
    };
    const onNear = (event: Event) => {
      const link = linkOf(event);
      if (link?.dataset.link === 'ahead') router.prefetch(addressOf(link));
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
