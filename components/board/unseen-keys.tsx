'use client';
import { Fragment, useMemo } from 'react';
import { Link } from '@/components/dom/link';
import { useMessages } from '@/components/dom/locale';
import { AsOf, useFreshness } from '@/components/live/freshness';
import { paths } from '@/lib/client/paths';
import type { BoardRow } from '@/lib/view/board-rows';
import { unseenNames } from '@/lib/view/search/find';

/** Names the keys of a pasted line that are not in view, because hits for its ids are something else. */
export function UnseenKeys({ q, rows }: { q: string; rows: readonly BoardRow[] }) {
  const { unseen } = useMessages().desk.search;
  const names = useMemo(() => unseenNames(q, rows), [q, rows]);
  if (useFreshness() === 'catching-up' || names.length === 0) return null;
  return (
    <p role="status" className="px-4 pb-3 sm:px-6">
      <AsOf />
      {unseen}{' '}
      {names.map((name, i) => (
        <Fragment key={name}>
          {i === 0 ? null : ', '}
          <Link
            href={paths.lock(name)}
            className="break-all font-mono text-[13px] underline underline-offset-3"
          >
            {name}
          </Link>
        </Fragment>
      ))}
    </p>
  );
}
