'use client';
/** A time that leads to the board as it was then. */
import { Link } from '@/components/dom/link';
import { paths } from '@/lib/client/paths';

export interface MomentLinkProps {
  readonly atMs: number;
  readonly title?: string;
  readonly className: string;
  readonly children: React.ReactNode;
}

export function MomentLink({ atMs, ...more }: MomentLinkProps) {
  return <Link href={paths.past(atMs)} prefetch={false} {...more} />;
}
