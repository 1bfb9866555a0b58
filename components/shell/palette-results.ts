'use client';
/** Finds destinations, commands and actions for a text, in groups. */
import { useRouter } from 'next/navigation';
import { useTheme } from 'next-themes';
import { useMemo } from 'react';
import { useActionContext } from '@/components/actions/action-context';
import { useBlocked } from '@/components/actions/blocked';
import { useAllMessages, useChooseLanguage, useLanguage } from '@/components/dom/locale';
import { viewLink } from '@/components/dom/page-link';
import { useViews } from '@/components/list/saved-views';
import { useFreeze, useStopped } from '@/components/live/frozen';
import { useSourceTitle } from '@/components/live/sources';
import { copyText } from '@/components/ui/clipboard';
import { useSnapshot } from '@/lib/client/page-data';
import { paths, subjectPath } from '@/lib/client/paths';
import { type Severity, severities } from '@/lib/domain/findings/finding';
import { shortId, subjectId } from '@/lib/domain/model';
import { sessionSubject } from '@/lib/domain/subject';
import { languageNames, otherLanguages } from '@/lib/i18n/language';
import { offersFor } from '@/lib/view/actions/offers';
import { heldBy, pinnedOf } from '@/lib/view/actions/request';
import { type BoardRow, type LampKind, lampsOf } from '@/lib/view/board-rows';
import { subjectOfRow } from '@/lib/view/search/find';
import { askHelp } from './legend';
import { findIn } from './search';

/** Results shown: typing refines a longer list better than scrolling. */
const shownMax = 8;
const actionsMax = 5;

export interface Result {
  readonly id: string;
  readonly text: string;
  readonly note?: string | undefined;
  /** The verdict on the holder of a lock, semaphore or session. */
  readonly lamp?: LampKind | null;
  readonly severity?: Severity | undefined;
  readonly run: () => void;
}

/** Commands and pages that contain every typed word. */
function named(results: readonly Result[], text: string): Result[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return results.filter((result) => words.every((word) => result.text.toLowerCase().includes(word)));
}

/** All groups in their order; some may be empty. */
export function useResults(text: string): { readonly title: string; readonly results: readonly Result[] }[] {
  const { palette } = useAllMessages().desk;
  const subjects = useSubjects(text);
  const pages = named(usePages(), text);
  const views = named(useSavedViews(), text);
  const actions = useActions(text);
  const commands = named(useDoings(), text);
  const board = useBoardSearch(text);
  const { groups } = palette;
  const found = { title: groups.subjects, results: [...subjects.rows, ...board] };
  const offered = { title: groups.actions, results: actions.results };
  const [first, then] = actions.areAskedFor ? [offered, found] : [found, offered];
  return [
    first,
    { title: groups.sessions, results: subjects.sessions },
    then,
    { title: groups.commands, results: commands },
    { title: groups.pages, results: pages },
    { title: groups.views, results: views },
  ];
}

function useSubjects(text: string): { readonly rows: Result[]; readonly sessions: Result[] } {
  const titleOf = useSourceTitle();
  const snapshot = useSnapshot();
  const router = useRouter();
  const m = useAllMessages();
  const found = useMemo(() => (text.trim() === '' ? null : findIn(text, snapshot)), [text, snapshot]);
  const rows = (found?.rows ?? []).slice(0, shownMax).map(({ of, closeness }): Result => {
    const like = closeness === 'like' || closeness === 'mentioned';
    const kind = m.copy.markdown.kinds[of.of.kind].toLowerCase();
    return {
      id: of.id,
      text: of.name,
      lamp: lampOf(of),
      severity: of.urgency < 2 ? severities.at(of.urgency) : undefined,
      note: [kind, like ? m.desk.search.matched[closeness] : null, titleOf(of.of.source)]
        .filter(Boolean)
        .join(' · '),
      run: () => router.push(subjectPath(subjectOfRow(of))),
    };
  });
  const sessions = (found?.sessions ?? []).slice(0, rows.length === 0 ? shownMax : 3).map(
    ({ of }): Result => ({
      id: subjectId(sessionSubject(of)),
      text: `${of.name === '' ? m.sessions.unnamed : of.name} · ${shortId(of.id)}`,
      lamp: heldBy(of, snapshot)?.verdict ?? null,
      note: [of.node, titleOf(of.source)].filter(Boolean).join(' · '),
      run: () => router.push(subjectPath(sessionSubject(of))),
    }),
  );
  return { rows, sessions };
}

/** Lamps from the one that asks for a person to the one in order. */
const lampOrder: readonly LampKind[] = [
  'ghost',
  'overdue',
  'suspect',
  'immortal',
  'node-bound',
  'unknown',
  'delayed',
  'alive',
  'waiting',
  'free',
];

/** One lamp for all slots of a row: the worst of them. */
function lampOf({ of }: BoardRow): LampKind | null {
  const kinds = new Set(lampsOf(of).map(({ kind }) => kind));
  return lampOrder.find((kind) => kinds.has(kind)) ?? null;
}

/**
 * The actions that are allowed now. Each opens its dialog, where the person reads and confirms the plan as anywhere.
 */
function useActions(text: string): { readonly results: Result[]; readonly areAskedFor: boolean } {
  const m = useAllMessages();
  const snapshot = useSnapshot();
  const { ask } = useActionContext();
  const titleOf = useSourceTitle();
  const offers = useMemo(() => offersFor(text, snapshot, m), [text, snapshot, m]);
  const { reasons, world } = useBlocked(offers.map(({ action }) => action));
  const allowed = offers.filter((_offer, i) => (reasons[i] ?? null) === null).slice(0, actionsMax);
  const results = allowed.map(({ action, text: title, label, name, lamp }) => ({
    id: `action ${JSON.stringify(action)}`,
    text: m.desk.palette.plan(title),
    lamp,
    note: titleOf(action.source) ?? undefined,
    // The dialog opens after this one has closed and returned the focus, so that the dialog returns it there, too.
    run: () => setTimeout(() => ask({ action, label, name, ...pinnedOf(action, world), limitTyped: '' }), 0),
  }));
  return { results, areAskedFor: allowed.some(({ byVerb }) => byVerb) };
}

function useBoardSearch(text: string): Result[] {
  const { palette } = useAllMessages().desk;
  const router = useRouter();
  const q = text.trim();
  if (q === '') return [];
  return [{ id: 'search', text: palette.searchBoard(q), run: () => router.push(paths.board(q)) }];
}

function usePages(): Result[] {
  const { audit, desk, share, shell } = useAllMessages();
  const { palette } = desk;
  const router = useRouter();
  const page = (id: string, text: string, path: string): Result => ({
    id,
    text,
    run: () => router.push(path),
  });
  return [
    page('page board', palette.board, paths.board()),
    page('page needs', palette.needs, paths.boardNeedsHuman()),
    page('page waiting', palette.waiting, '/?show=waiting'),
    page('page locks', palette.locks, '/?show=locks'),
    page('page semaphores', palette.semaphores, '/?show=semaphores'),
    page('page grouped', palette.grouped, '/?group=true'),
    page('page sessions', palette.sessions, paths.sessions()),
    page('page findings', shell.nav.findings, paths.findings()),
    page('page history', shell.nav.history, paths.history()),
    page('page graph', shell.nav.graph, paths.graph()),
    page('page audit', audit.title, paths.audit()),
    page('page shares', share.page.title, paths.shares()),
  ];
}

function useSavedViews(): Result[] {
  const router = useRouter();
  return useViews().map(({ name, path }) => ({
    id: `view ${name}`,
    text: name,
    run: () => router.push(path),
  }));
}

function useDoings(): Result[] {
  const { palette } = useAllMessages().desk;
  const { toggle } = useFreeze();
  const stopped = useStopped();
  const { resolvedTheme, setTheme } = useTheme();
  const dark = resolvedTheme === 'dark';
  const language = useLanguage();
  const choose = useChooseLanguage();
  return [
    { id: 'do freeze', text: stopped ? palette.resume : palette.freeze, note: 'f', run: toggle },
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
