'use client';
import { Command } from 'cmdk';
import { useRouter } from 'next/navigation';
import { useTheme } from 'next-themes';
import { Dialog } from 'radix-ui';
import { useMemo, useState } from 'react';
import { useChooseLanguage, useLanguage, useMessages } from '@/components/dom/locale';
import { viewLink } from '@/components/dom/page-link';
import { useViews } from '@/components/list/saved-views';
import { useFreeze } from '@/components/live/frozen';
/**
 * The command palette: every destination, and every command that is no action on Consul, with the keyboard
 * alone.
 */
import { useSourceTitle } from '@/components/live/sources';
import { rangesIn } from '@/components/marks/marked';
import { Name } from '@/components/marks/name';
import { copyText } from '@/components/ui/clipboard';
import { paths, subjectPath } from '@/lib/client/paths';
import { useSnapshot } from '@/lib/client/shown';
import { shortId, subjectId } from '@/lib/domain/model';
import { sessionSubject } from '@/lib/domain/subject';
import { languageNames, otherLanguages } from '@/lib/i18n/language';
import { subjectOfRow } from '@/lib/view/search/find';
import { readPasted } from '@/lib/view/search/line';
import { askHelp } from './legend';
import { findIn } from './search';

/** Results shown: typing refines a longer list better than scrolling. */
const shownMax = 8;

interface PaletteProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

export function Palette({ open, onOpenChange }: PaletteProps) {
  const { palette } = useMessages().desk;
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/55" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-[12vh] left-1/2 z-50 flex max-h-[76vh] w-[min(40rem,calc(100vw-1.5rem))] -translate-x-1/2 flex-col overflow-hidden rounded-[8px] border border-line-strong bg-panel shadow-2xl outline-none"
        >
          <Dialog.Title className="sr-only">{palette.label}</Dialog.Title>
          <Commands close={() => onOpenChange(false)} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const entry =
  'flex cursor-pointer items-center justify-between gap-4 rounded-[4px] px-3 py-2 text-[13px] text-ink data-[selected=true]:bg-brass-wash data-[selected=true]:text-brass-strong';
const group =
  '[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-[12px] [&_[cmdk-group-heading]]:text-ink-dim';

interface Act {
  readonly id: string;
  readonly text: string;
  readonly note?: string;
  readonly run: () => void;
}

function Commands({ close }: { close: () => void }) {
  const { palette } = useMessages().desk;
  const [text, setText] = useState('');
  // Not deferred: the first result is selected as soon as the text changes, so it must be there by then.
  const groups = useGroups(text);
  return (
    <Command shouldFilter={false} label={palette.label} loop className="flex min-h-0 flex-col">
      <Command.Input
        autoFocus
        value={text}
        onValueChange={setText}
        placeholder={palette.placeholder}
        className="h-12 w-full border-line border-b bg-transparent px-4 text-[15px] text-ink outline-none placeholder:text-ink-dim"
      />
      <Command.List className="min-h-0 overflow-y-auto p-1.5">
        <Command.Empty className="px-3 py-6 text-[13px] text-ink-soft">{palette.nothing}</Command.Empty>
        {groups.map(({ title, acts }) =>
          acts.length === 0 ? null : (
            <Command.Group key={title} heading={title} className={group}>
              {acts.map((act) => (
                <Command.Item
                  key={act.id}
                  value={act.id}
                  onSelect={() => {
                    close();
                    act.run();
                  }}
                  className={entry}
                >
                  <Label act={act} sought={text} />
                  {act.note === undefined ? null : (
                    <span className="shrink-0 text-[12px] text-ink-dim">{act.note}</span>
                  )}
                </Command.Item>
              ))}
            </Command.Group>
          ),
        )}
      </Command.List>
    </Command>
  );
}

function Label({ act, sought }: { act: Act; sought: string }) {
  if (!/^([a-z0-9-]+!)?(lock|semaphore):/.test(act.id))
    return <span className="min-w-0 truncate">{act.text}</span>;
  const marks = sought.trim() === '' ? [] : rangesIn(act.text, readPasted(sought));
  return <Name name={act.text} marks={marks} />;
}

/** Commands and pages that contain every typed word. */
function named(acts: readonly Act[], text: string): Act[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return acts.filter((act) => words.every((word) => act.text.toLowerCase().includes(word)));
}

function useGroups(text: string): { readonly title: string; readonly acts: readonly Act[] }[] {
  const { palette } = useMessages().desk;
  const subjects = useSubjects(text);
  const pages = named(usePages(), text);
  const views = named(useSavedViews(), text);
  const commands = named(useDoings(), text);
  const board = useBoardSearch(text);
  const { groups } = palette;
  return [
    { title: groups.subjects, acts: [...subjects.rows, ...board] },
    { title: groups.sessions, acts: subjects.sessions },
    { title: groups.commands, acts: commands },
    { title: groups.pages, acts: pages },
    { title: groups.views, acts: views },
  ];
}

function useSubjects(text: string): { readonly rows: Act[]; readonly sessions: Act[] } {
  const snapshot = useSnapshot();
  const router = useRouter();
  const m = useMessages();
  const titleOf = useSourceTitle();
  const found = useMemo(() => (text.trim() === '' ? null : findIn(text, snapshot)), [text, snapshot]);
  const rows = (found?.rows ?? []).slice(0, shownMax).map(({ of, closeness }): Act => {
    const like = closeness === 'like' || closeness === 'mentioned';
    const kind = m.copy.markdown.kinds[of.of.kind].toLowerCase();
    return {
      id: of.id,
      text: of.name,
      note: [kind, like ? m.desk.search.matched[closeness] : null, titleOf(of.of.source)]
        .filter(Boolean)
        .join(' · '),
      run: () => router.push(subjectPath(subjectOfRow(of))),
    };
  });
  const sessions = (found?.sessions ?? []).slice(0, rows.length === 0 ? shownMax : 3).map(
    ({ of }): Act => ({
      id: subjectId(sessionSubject(of)),
      text: `${of.name === '' ? m.sessions.unnamed : of.name} · ${shortId(of.id)}`,
      note: [of.node, titleOf(of.source)].filter(Boolean).join(' · '),
      run: () => router.push(subjectPath(sessionSubject(of))),
    }),
  );
  return { rows, sessions };
}

function useBoardSearch(text: string): Act[] {
  const { palette } = useMessages().desk;
  const router = useRouter();
  const q = text.trim();
  if (q === '') return [];
  return [{ id: 'search', text: palette.searchBoard(q), run: () => router.push(paths.board(q)) }];
}

function usePages(): Act[] {
  const { audit, desk, share, shell } = useMessages();
  const { palette } = desk;
  const router = useRouter();
  const page = (id: string, text: string, path: string): Act => ({ id, text, run: () => router.push(path) });
  return [
    page('page board', palette.board, paths.board()),
    page('page needs', palette.needs, paths.boardNeedsHuman()),
    page('page waiting', palette.waiting, '/?show=waiting'),
    page('page locks', palette.locks, '/?show=locks'),
    page('page semaphores', palette.semaphores, '/?show=semaphores'),
    page('page grouped', palette.grouped, '/?group=true'),
    page('page sessions', palette.sessions, paths.sessions()),
    page('page findings', shell.nav.findings, paths.findings()),
    page('page graph', shell.nav.graph, paths.graph()),
    page('page audit', audit.title, paths.audit()),
    page('page shares', share.page.title, paths.shares()),
  ];
}

function useSavedViews(): Act[] {
  const router = useRouter();
  return useViews().map(({ name, path }) => ({
    id: `view ${name}`,
    text: name,
    run: () => router.push(path),
  }));
}

function useDoings(): Act[] {
  const { palette } = useMessages().desk;
  const { frozen, toggle } = useFreeze();
  const { resolvedTheme, setTheme } = useTheme();
  const dark = resolvedTheme === 'dark';
  const language = useLanguage();
  const choose = useChooseLanguage();
  return [
    { id: 'do freeze', text: frozen === null ? palette.freeze : palette.resume, note: 'f', run: toggle },
    {
      id: 'do theme',
      text: dark ? palette.toLight : palette.toDark,
      run: () => setTheme(dark ? 'light' : 'dark'),
    },
    ...otherLanguages(language).map((other) => ({
      id: `do language ${other}`,
      text: palette.language(languageNames[other]),
      run: () => void choose(other),
    })),
    { id: 'do copy', text: palette.copyLink, run: () => void copyText(viewLink(window.location)) },
    // The help opens after this dialog has closed and returned the focus.
    {
      id: 'do help',
      text: palette.help,
      note: '?',
      run: () => setTimeout(() => window.dispatchEvent(new Event(askHelp)), 0),
    },
  ];
}
