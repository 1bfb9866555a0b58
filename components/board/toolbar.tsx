'use client';
import { clsx } from 'clsx';
import { useMessages } from '@/components/dom/locale';
import { Chip } from '@/components/list/chip';
import { MoreFilters } from '@/components/list/more-filters';
import { SourceSelect } from '@/components/list/source-select';
import { Select } from '@/components/ui/select';
import { type Layout, layouts } from '@/lib/domain/layout';
import type { Verdict } from '@/lib/domain/model';
import { layoutName } from '@/lib/i18n/sentences';
import {
  type BoardQuery,
  type optionsOf,
  orderOf,
  type Show,
  type Sort,
  shows,
  sorts,
} from '@/lib/view/board/query';
import type { useBoardQuery } from './state';

interface ToolbarProps {
  readonly query: BoardQuery;
  readonly change: ReturnType<typeof useBoardQuery>[1];
  /** `null`: not known yet. */
  readonly counts: Readonly<Record<Show, number>> | null;
  readonly options: ReturnType<typeof optionsOf>;
  /** A phone shows more than the chips. Anything wider always does. */
  readonly more: boolean;
  readonly onMore: (more: boolean) => void;
}

/** Chips, selects, sort and grouping: everything that narrows or orders the board. */
export function Toolbar({ query, change, counts, options, more, onMore }: ToolbarProps) {
  const m = useMessages();
  const { board, desk, verdicts } = m;
  const searching = query.q.trim() !== '';
  const { filters } = board;
  const any = { value: '', text: filters.any };
  const selected = [query.verdict, query.layout, query.node, query.source, query.prefix || null].filter(
    (one) => one !== null,
  );
  const narrowed = query.q !== '' || query.show !== 'all' || selected.length > 0;
  const hiddenClass = more ? '' : 'max-md:hidden';
  return (
    <div className="gap-x-3 gap-y-2 pb-3 max-md:contents md:flex md:flex-col md:px-6 lg:flex-row lg:flex-wrap lg:items-center">
      <fieldset className="scroll-row flex min-w-0 gap-1 px-4 max-md:order-1 max-md:pb-2 sm:px-6 md:flex-wrap md:px-0">
        <legend className="sr-only">{board.show.label}</legend>
        <MoreFilters open={more} on={selected.length} onChange={onMore} />
        {shows.map((show) => (
          <Chip
            key={show}
            text={board.show[show]}
            count={counts?.[show] ?? null}
            on={query.show === show}
            urgent={show === 'human' && counts !== null && counts.human > 0}
            onClick={() => change({ show: show === 'all' ? null : show })}
          />
        ))}
      </fieldset>
      <div
        className={clsx(
          'flex min-w-0 flex-wrap items-center gap-1.5 px-4 max-md:order-2 max-md:pb-2 sm:px-6 md:px-0',
          hiddenClass,
        )}
      >
        <Select
          label={filters.verdict}
          value={query.verdict ?? ''}
          active={query.verdict !== null}
          options={[any, ...options.verdicts.map((v) => ({ value: v, text: verdicts[v].word }))]}
          onChange={(value) => change({ verdict: value === '' ? null : (value as Verdict) })}
        />
        <Select
          label={filters.layout}
          value={query.layout ?? ''}
          active={query.layout !== null}
          options={[any, ...options.layouts.map((l) => ({ value: l, text: layoutName(l, m) }))]}
          onChange={(value) => change({ layout: value in layouts ? (value as Layout) : null })}
        />
        <Select
          label={filters.node}
          value={query.node ?? ''}
          active={query.node !== null}
          options={[any, ...options.nodes.map((n) => ({ value: n, text: n }))]}
          onChange={(value) => change({ node: value === '' ? null : value })}
        />
        <SourceSelect value={query.source} onChange={(source) => change({ source })} />
        <Select
          label={filters.prefix}
          value={query.prefix}
          active={query.prefix !== ''}
          options={[any, ...withCurrent(options.prefixes, query.prefix).map((p) => ({ value: p, text: p }))]}
          onChange={(value) => change({ prefix: value === '' ? null : value })}
        />
        {narrowed ? (
          <button
            type="button"
            onClick={() =>
              change({
                q: null,
                show: null,
                verdict: null,
                layout: null,
                node: null,
                source: null,
                prefix: null,
              })
            }
            className="h-7 rounded-[5px] px-2 text-[13px] text-brass-strong underline-offset-3 hover:underline"
          >
            {filters.clear}
          </button>
        ) : null}
      </div>
      <div
        className={clsx(
          'flex flex-wrap items-center gap-x-3 gap-y-2 px-4 max-md:order-3 max-md:pb-2 sm:px-6 md:px-0 lg:basis-full xl:ml-auto xl:basis-auto',
          hiddenClass,
        )}
      >
        <Select
          label={filters.sort}
          value={orderOf(query)}
          active={query.sort !== null}
          options={[
            ...(searching ? [{ value: 'match', text: desk.search.sort }] : []),
            ...sorts.map((sort) => ({ value: sort, text: board.sorts[sort] })),
          ]}
          onChange={(value) =>
            change({ sort: value === 'match' || (value === 'needs' && !searching) ? null : (value as Sort) })
          }
        />
        <label className="inline-flex h-7 cursor-pointer items-center gap-2 text-[13px] text-ink-soft">
          <input
            type="checkbox"
            checked={query.group}
            onChange={(event) => change({ group: event.target.checked ? true : null, closed: null })}
            className="size-3.5 accent-brass"
          />
          {filters.group}
        </label>
      </div>
    </div>
  );
}

/** A prefix from the address stays selected even if absent now. */
function withCurrent(prefixes: readonly string[], current: string): readonly string[] {
  return current === '' || prefixes.includes(current) ? prefixes : [current, ...prefixes];
}
