'use client';
import { usePathname, useRouter } from 'next/navigation';
import { useDeferredValue, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useAddress } from '@/components/dom/address';
import { useSingleKey } from '@/components/dom/keys';
import { useMessages } from '@/components/dom/locale';
import { useAhead } from '@/components/live/first-part';
import { Icon } from '@/components/ui/icon';
import { useLiveView, useSnapshot } from '@/lib/client/page-data';
import { paths, subjectPath } from '@/lib/client/paths';
import type { Subject } from '@/lib/domain/model';
import { subjectName } from '@/lib/domain/model';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { rowsOf } from '@/lib/view/board-rows';
import { find, type SearchResult } from '@/lib/view/search/find';
import { textParameter } from '@/lib/view/url-parameter';

/** The results of a text in everything that is in view. */
export function findIn(text: string, snapshot: Snapshot, first: 'rows' | 'sessions' = 'rows'): SearchResult {
  return find(text, { rows: rowsOf(snapshot), sessions: snapshot.sessions }, first);
}

/** The search field. It filters a list during typing. On every page Enter opens a plain target: paste, Enter. */
export function Search() {
  const path = usePathname();
  const input = useRef<HTMLInputElement>(null);
  useSingleKey('/', () => {
    input.current?.focus();
    input.current?.select();
  });
  const list = path === paths.board() ? 'rows' : path === paths.sessions() ? 'sessions' : null;
  return (
    <search className="relative min-w-0 flex-1">
      <Icon
        name="search"
        size={14}
        className="pointer-events-none absolute top-2 left-2.5 max-md:top-[15px] text-ink-dim"
      />
      {list === null ? <Jump ref={input} /> : <Filter key={list} ref={input} first={list} />}
    </search>
  );
}

interface FieldProps {
  readonly ref: React.Ref<HTMLInputElement>;
  readonly text: string;
  readonly first: 'rows' | 'sessions';
  readonly onText: (text: string) => void;
  /** Enter: the target, and all results. */
  readonly onEnter: (found: SearchResult) => void;
}

function Field({ ref, text, first, onText, onEnter }: FieldProps) {
  const { search } = useMessages().shell;
  const view = useLiveView();
  const hint = useId();
  const ahead = useMissing(text);
  const entered = useRef<string | null>(null);
  const enter = (sought: string) => onEnter(findIn(sought, view.snapshot.get(), first));
  // An Enter before the stream has brought the whole world takes effect then.
  useEffect(() => {
    if (ahead || entered.current === null) return;
    const sought = entered.current;
    entered.current = null;
    if (sought === text) enter(sought);
  });
  return (
    <>
      <input
        ref={ref}
        type="search"
        aria-label={search.label}
        aria-describedby={hint}
        placeholder={search.placeholder}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && text !== '') onText('');
          // An Enter that ends the composition of a character is not for us.
          if (event.key !== 'Enter' || event.nativeEvent.isComposing || text.trim() === '') return;
          event.preventDefault();
          if (ahead) entered.current = text;
          else enter(text);
        }}
        className="h-[30px] w-full rounded-[5px] border border-line bg-inset pr-8 pl-8 text-[13px] text-ink placeholder:text-ink-dim hover:border-line-strong focus:border-brass [&::-webkit-search-cancel-button]:hidden"
      />
      <Hint id={hint} text={text} first={first} />
    </>
  );
}

/**
 * True when this text's target may still be missing. In a world that is too large for a browser, it is here once the
 * board's list is for this text.
 */
function useMissing(text: string): boolean {
  const ahead = useAhead();
  if (ahead === null) return false;
  if (ahead.large === null) return true;
  return ahead.board !== null && ahead.board.query.q !== text;
}

/** The effect of Enter, where it has one; else the key that leads here. */
function Hint({ id, text, first }: { id: string; text: string; first: 'rows' | 'sessions' }) {
  const { shell, desk } = useMessages();
  const target = useTarget(text, first);
  if (target === null)
    return (
      <span
        id={id}
        aria-hidden="true"
        className="pointer-events-none absolute top-1.5 right-2 hidden sm:block"
      >
        {text === '' ? (
          <kbd className="rounded border border-line px-1.5 text-[11px] text-ink-dim leading-4">
            {shell.search.hint}
          </kbd>
        ) : null}
      </span>
    );
  const name = subjectName(target);
  return (
    <span
      id={id}
      className="pointer-events-none absolute top-1 right-1 flex h-[22px] max-w-[45%] items-center gap-1 rounded-[3px] bg-brass-wash px-1.5 text-[12px] text-brass-strong"
    >
      <span aria-hidden="true" className="text-[11px]">
        ↵
      </span>
      <span className="sr-only">{desk.search.opens(name)}</span>
      <span aria-hidden="true" className="truncate font-mono" dir="rtl">
        <bdi>{name}</bdi>
      </span>
    </span>
  );
}

function useTarget(typed: string, first: 'rows' | 'sessions'): Subject | null {
  const text = useDeferredValue(typed);
  // Deferred like the list, which asks for the same: one search for both.
  const snapshot = useDeferredValue(useSnapshot());
  const ahead = useDeferredValue(useMissing(typed));
  return useMemo(
    () => (ahead || text.trim() === '' ? null : findIn(text, snapshot, first).target),
    [ahead, text, snapshot, first],
  );
}

interface ListFieldProps {
  readonly ref: React.Ref<HTMLInputElement>;
  readonly first: 'rows' | 'sessions';
}

const filterParameters = { q: textParameter };

function Filter({ ref, first }: ListFieldProps) {
  const [{ q }, change] = useAddress(filterParameters);
  const router = useRouter();
  return (
    <Field
      ref={ref}
      text={q}
      first={first}
      onText={(text) => change({ q: text })}
      onEnter={({ target }) => {
        if (target === null) {
          document.querySelector<HTMLElement>('#content [data-walk]')?.focus();
          return;
        }
        router.push(subjectPath(target));
      }}
    />
  );
}

function Jump({ ref }: Pick<ListFieldProps, 'ref'>) {
  const [text, setText] = useState('');
  const router = useRouter();
  return (
    <Field
      ref={ref}
      text={text}
      first="rows"
      onText={setText}
      onEnter={({ target, rows, sessions }) => {
        if (target !== null) {
          setText('');
          router.push(subjectPath(target));
        } else if (rows.length === 0 && sessions.length > 0) router.push(paths.sessions(text.trim()));
        else router.push(paths.board(text.trim()));
      }}
    />
  );
}
