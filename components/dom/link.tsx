'use client';
/**
 * Links between pages of the console. Each is a plain anchor, so that a list can draw dozens with each scroll;
 * the frame handles their clicks. The framework's own link is 3 kB of the first load, and as much work as five
 * components.
 */
import { useRouter } from 'next/navigation';
import { useEffect } from 'react';

interface LinkProps extends React.ComponentProps<'a'> {
  readonly href: string;
  /** False in lists: each row under the pointer would cost a request. */
  readonly prefetch?: boolean;
}

export function Link({ prefetch = true, ...anchor }: LinkProps) {
  return <a data-link={prefetch ? 'ahead' : 'plain'} {...anchor} />;
}

/** A link's target and kind. By attributes, because SVG anchors lack the properties. */
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

/**
 * Follows links without a document load, and prefetches the pages of links under the pointer or the focus. A
 * hook of the frame.
 */
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
