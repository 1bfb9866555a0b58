'use client';
import { usePathname } from 'next/navigation';
import { useMessages } from '@/components/dom/locale';
import { paths } from '@/lib/client/paths';

const link =
  'sr-only z-50 rounded bg-raised px-3 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2';

/** Pages that are a list, with tools before its first row. */
const lists: readonly string[] = [paths.board(), paths.sessions(), paths.findings(), paths.audit()];

/** The first stops of the Tab key: past the header to the content, and past its tools to the first row. */
export function SkipLinks() {
  const { shell } = useMessages();
  const path = usePathname();
  return (
    <>
      <a href="#content" className={link}>
        {shell.skip}
      </a>
      {lists.includes(path) ? (
        <button
          type="button"
          className={link}
          onClick={() => document.querySelector<HTMLElement>('#content [data-walk], #list')?.focus()}
        >
          {shell.skipToList}
        </button>
      ) : null}
    </>
  );
}
