/** English: the tools of every page: search, frozen pages, palette, saved views and keys. */

import { formatCount } from '@/lib/i18n/format/format';
import { capital, counted } from './plural';

export const desk = {
  search: {
    /** Below the field, where Enter has no effect. */
    opens: (name: string) => `Enter opens ${name}`,
    matched: {
      holder: 'holder',
      waiter: 'waiter',
      session: 'session',
      node: 'node',
      value: 'value',
      detail: 'detail',
      holds: 'holds',
      wants: 'waits for',
      like: 'similar',
      mentioned: 'mentioned',
    },
    sort: 'best match first',
    /** Precedes the keys of a pasted line that are not in view. */
    unseen: 'Not in view:',
    noRow: (n: number) =>
      `No lock or semaphore matches. ${capital(counted(n, 'session does', 'sessions do'))}:`,
    allSessions: (n: number) => `All ${formatCount(n)} in the session list`,
  },
  palette: {
    open: 'Commands: go to anything (Ctrl K)',
    hint: 'Ctrl K',
  },
  freeze: {
    button: 'Freeze',
    past: 'Earlier…',
    pastHelp: 'The board as it was at an earlier time (t)',
    help: 'Freeze this page as it is now (f)',
    resume: 'Resume',
    label: 'Frozen page',
    /** Around the time at which the page was frozen. */
    frozenAt: ['Frozen at ', '.'],
    changed: (n: number) =>
      n === 0
        ? 'No changes since.'
        : `${capital(counted(n, 'lock, semaphore or session', 'locks, semaphores and sessions'))} changed since.`,
    /** Around the link's time and the shown data's time. */
    fromLink: [
      'This link was frozen at ',
      '. Neither the server nor this page keeps that moment. This page shows the state read at ',
      ', when you opened the link. It stays frozen.',
    ],
  },
  views: {
    button: 'Views',
  },
  group: {
    needs: (n: number) => `${n} ${n === 1 ? 'needs' : 'need'} attention`,
    rows: (n: number) => `${n} ${n === 1 ? 'row' : 'rows'}`,
  },
};

export const palette = {
  ...desk.palette,
  label: 'Commands',
  placeholder: 'Go to a lock, session or page, plan an action, run a command…',
  /** An action: the plan opens first. */
  plan: (title: string) => `${title}…`,
  nothing: 'Nothing matches.',
  groups: {
    subjects: 'Locks and semaphores',
    sessions: 'Sessions',
    pages: 'Pages',
    views: 'Views',
    actions: 'Actions: each opens its plan first',
    commands: 'Commands',
  },
  board: 'Board',
  needs: 'Board: needs attention',
  waiting: 'Board: with waiters',
  locks: 'Board: locks only',
  semaphores: 'Board: semaphores only',
  grouped: 'Board: group by prefix',
  sessions: 'Sessions',
  toDark: 'Dark theme',
  toLight: 'Light theme',
  /** `name` is what its own readers call it. */
  language: (name: string) => `Language: ${name}`,
  freeze: 'Freeze this page',
  resume: 'Resume: show live data again',
  copyLink: 'Copy a link to this view',
  searchBoard: (text: string) => `Search the board for “${text}”`,
  help: 'Help: lamps and keys',
};

export const views = {
  ...desk.views,
  label: 'Saved views',
  none: 'No saved views in this browser.',
  note: 'Saved in this browser only. A view is a link: filters, search, order and groups.',
  name: 'Name of this view',
  save: 'Save this view',
  remove: (name: string) => `Remove the view ${name}`,
  copy: 'Copy a link to this view',
  full: 'The browser refuses to save the view.',
};

export const keys = {
  toggle: 'Single-letter keys',
  toggleHelp:
    'Switch them off if they disturb speech input or a screen reader. Ctrl K and the list keys keep working.',
  everywhere: 'Everywhere',
  lists: 'In the board and the list of sessions',
  list: [
    ['/', 'search'],
    ['Enter', 'in the search: open the obvious match'],
    ['Esc', 'in the search: clear it'],
    ['Ctrl K', 'commands: go to anything, do anything'],
    ['f', 'freeze the page, or resume'],
    ['t', 'on the board: an earlier time'],
    [', and .', 'in the past: 10 s earlier or later; with Shift 1 min; Esc: back to live'],
    ['?', 'this help'],
  ],
  rows: [
    ['↓ or j', 'next row; from the search or the page, into the list'],
    ['↑ or k', 'previous row'],
    ['Page Down, Page Up', 'next screen, previous screen'],
    ['Home, End', 'first row, last row'],
    ['Enter', 'open the row; in a group’s head, open or close it'],
    ['← →', 'in a group’s head: close it, open it'],
    ['m', 'menu of the row: copy and hand over'],
  ],
};
