'use client';
import NextLink from 'next/link';
import { useState } from 'react';

interface LinkProps extends React.ComponentProps<'a'> {
  readonly href: string;
  /** False in lists: each row under the pointer would cost a request. */
  readonly prefetch?: boolean;
}

/**
 * Prefetches its page once the pointer or the focus is on it. The framework would prefetch every link in the
 * window, and a page has dozens.
 */
export function Link({ prefetch = true, ...anchor }: LinkProps) {
  const [near, setNear] = useState(false);
  const approach = prefetch ? () => setNear(true) : undefined;
  return <NextLink {...anchor} prefetch={near ? null : false} onPointerEnter={approach} onFocus={approach} />;
}
