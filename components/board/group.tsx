'use client';
/** The head of a group: its rows, and how many of them need attention. */
import { clsx } from 'clsx';
import { useMessages } from '@/components/dom/locale';
import { isPlain } from '@/components/list/list-keys';
import type { RowWindow } from '@/components/list/window';
import { Icon } from '@/components/ui/icon';

export interface GroupFacts {
  readonly name: string;
  readonly rows: number;
  readonly needs: number;
  /** One of them is urgent. */
  readonly urgent: boolean;
  readonly closed: boolean;
}

interface GroupProps extends GroupFacts {
  readonly index: number;
  readonly active: boolean;
  readonly measure: RowWindow['measure'];
  readonly onToggle: (name: string) => void;
}

const empty = 'hidden border-b border-line md:table-cell';

export function Group({ name, rows, needs, urgent, closed, index, active, measure, onToggle }: GroupProps) {
  const { board, desk, severities, colon } = useMessages();
  const shown = name === '' ? board.noGroup : name;
  return (
    <tr
      ref={measure}
      data-index={index}
      data-row={`group ${name}`}
      aria-rowindex={index + 2}
      className="relative block bg-inset md:table-row"
    >
      {/* One cell each: a span over hidden columns would make new ones. */}
      <th
        scope="rowgroup"
        className="block border-line px-3 pt-1.5 text-left font-normal max-md:break-all md:table-cell md:h-[32px] md:border-b md:py-0"
      >
        <button
          type="button"
          data-walk
          tabIndex={active ? 0 : -1}
          aria-expanded={!closed}
          onClick={() => onToggle(name)}
          onKeyDown={(event) => {
            // Alt with an arrow is the browser's way back.
            if (!isPlain(event)) return;
            if ((event.key === 'ArrowLeft' && !closed) || (event.key === 'ArrowRight' && closed))
              onToggle(name);
          }}
          className="row-link inline-flex max-w-full items-center gap-1.5 text-left font-mono text-[12px] text-ink-soft hover:text-ink"
        >
          <Icon name="closed" size={13} className={clsx('shrink-0 text-ink-dim', !closed && 'rotate-90')} />
          <span className="truncate max-md:whitespace-normal">{shown}</span>
        </button>
      </th>
      <td className="block border-line border-b pb-1.5 pl-9 text-[12px] text-ink-dim md:table-cell md:px-3 md:pb-0">
        {desk.group.rows(rows)}
      </td>
      <td className={empty} />
      <td
        className={clsx(
          'block bg-inset pb-1.5 pl-9 text-[12px] empty:hidden md:table-cell md:border-line md:border-b md:px-3 md:empty:table-cell',
          urgent ? 'text-danger' : 'text-caution',
        )}
      >
        {needs === 0 ? null : (
          <>
            <span aria-hidden="true">{urgent ? '▲' : '△'} </span>
            {desk.group.needs(needs)}
            <span className="sr-only">{`${colon}${severities[urgent ? 'urgent' : 'warning']}`}</span>
          </>
        )}
      </td>
      <td className={`${empty} hidden! lg:table-cell!`} />
      <td className={`${empty} hidden! xl:table-cell!`} />
      <td className={`${empty} hidden! xl:table-cell!`} />
      <td className={`${empty} hidden! xl:table-cell!`} />
      <td className={empty} />
    </tr>
  );
}
