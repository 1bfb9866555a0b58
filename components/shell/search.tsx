'use client';
import { Search as SearchIcon } from 'lucide-react';
import { usePathname, useRouter } from 'next/navigation';
import { parseAsString, useQueryState } from 'nuqs';
import { useEffect, useRef, useState } from 'react';
import { useMessages } from '@/components/locale';
import { paths } from '@/lib/client/paths';

/** True where typing must not be taken as a shortcut. */
export function isEditable(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable=true]');
}

/** The search in the header. On a list it filters while one types; elsewhere Enter goes to the board with it. */
export function Search() {
  const { search } = useMessages().shell;
  const path = usePathname();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const palette = event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey);
      const slash = event.key === '/' && !event.metaKey && !event.ctrlKey && !isEditable(event.target);
      if (!palette && !slash) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    document.addEventListener('keydown', focus);
    return () => document.removeEventListener('keydown', focus);
  }, []);
  return (
    <search className="relative min-w-0 flex-1 order-6 basis-full sm:order-none sm:basis-64 sm:max-w-md">
      <SearchIcon
        size={14}
        aria-hidden="true"
        className="pointer-events-none absolute top-2 left-2.5 text-ink-dim"
      />
      {path === paths.board() || path === paths.sessions() ? <Filter ref={input} /> : <Jump ref={input} />}
      <kbd className="pointer-events-none absolute top-1.5 right-2 hidden rounded border border-line px-1.5 text-[11px] text-ink-dim leading-4 sm:block">
        {search.hint}
      </kbd>
    </search>
  );
}

type FieldProps = React.ComponentProps<'input'>;

function Field(props: FieldProps) {
  const { search } = useMessages().shell;
  return (
    <input
      type="search"
      aria-label={search.label}
      placeholder={search.placeholder}
      autoComplete="off"
      spellCheck={false}
      {...props}
      className="h-[30px] w-full rounded-[5px] border border-line bg-inset pr-8 pl-8 text-[13px] text-ink placeholder:text-ink-dim hover:border-line-strong focus:border-brass [&::-webkit-search-cancel-button]:hidden"
    />
  );
}

function Filter({ ref }: Pick<FieldProps, 'ref'>) {
  const [q, setQ] = useQueryState('q', parseAsString.withDefault('').withOptions({ throttleMs: 150 }));
  return (
    <Field
      ref={ref}
      value={q}
      onChange={(event) => setQ(event.target.value === '' ? null : event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') setQ(null);
      }}
    />
  );
}

function Jump({ ref }: Pick<FieldProps, 'ref'>) {
  const [text, setText] = useState('');
  const router = useRouter();
  return (
    <Field
      ref={ref}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && text.trim() !== '') router.push(paths.board(text.trim()));
      }}
    />
  );
}
