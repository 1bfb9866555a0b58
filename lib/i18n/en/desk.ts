/** English, part six: what one works with on every page: search, frozen pages, and what opens the other tools (`tools.ts`). */

import { formatCount } from '@/lib/i18n/format/format';
import { capital, counted } from './plural';

export const desk = {
  search: {
    /** What stands in the way of Enter, below the field. */
    opens: (name: string) => `Enter opens ${name}`,
    matched: {
      holder: 'holder',
      waiter: 'waiter',
      session: 'session',
      node: 'node',
      value: 'value',
      detail: 'detail',
      holds: 'holds',
      wants: 'wants',
      like: 'similar',
      mentioned: 'mentioned',
    },
    sort: 'best match first',
    /** Before the keys that a pasted line names and that nobody sees. */
    unseen: 'Not in view:',
    noRow: (n: number) =>
      `No lock or semaphore matches. ${capital(counted(n, 'session does', 'sessions do'))}:`,
    allSessions: (n: number) => `All ${formatCount(n)} in the list of sessions`,
  },
  palette: {
    open: 'Commands: go to anything (Ctrl K)',
    hint: 'Ctrl K',
  },
  freeze: {
    button: 'Freeze',
    help: 'Keep everything on this page as it is now (f)',
    resume: 'Resume',
    label: 'Frozen page',
    /** Before and after the time at which it was frozen. */
    frozenAt: ['Frozen at ', '.'],
    changed: (n: number) =>
      n === 0
        ? 'Nothing has changed since.'
        : `${capital(counted(n, 'lock, semaphore or session', 'locks, semaphores and sessions'))} ${n === 1 ? 'has' : 'have'} changed since.`,
    /** Around the time in the link and the time of what is shown. */
    fromLink: [
      'This link was frozen at ',
      '. That moment cannot be shown: neither Consul nor this page keeps it. What you see was read at ',
      ', when you opened the link, and is kept as it was.',
    ],
  },
  views: {
    button: 'Views',
  },
  group: {
    needs: (n: number) => `${n} ${n === 1 ? 'needs' : 'need'} a human`,
    rows: (n: number) => `${n} ${n === 1 ? 'row' : 'rows'}`,
  },
};

export const palette = {
  ...desk.palette,
  label: 'Commands',
  placeholder: 'Go to a lock, semaphore, session or page, or do something…',
  nothing: 'Nothing matches.',
  groups: {
    subjects: 'Locks and semaphores',
    sessions: 'Sessions',
    pages: 'Pages',
    views: 'Views',
    commands: 'Commands',
  },
  board: 'Board',
  needs: 'Board: what needs a human',
  waiting: 'Board: where sessions wait',
  locks: 'Board: locks only',
  semaphores: 'Board: semaphores only',
  grouped: 'Board: group by prefix',
  sessions: 'Sessions',
  toDark: 'Dark theme',
  toLight: 'Light theme',
  /** `name` is what its own readers call it. */
  language: (name: string) => `Language: ${name}`,
  freeze: 'Freeze this page',
  resume: 'Resume: show the present again',
  copyLink: 'Copy a link to this view',
  searchBoard: (text: string) => `Search the board for “${text}”`,
  help: 'Help: lamps and keys',
};

export const views = {
  ...desk.views,
  label: 'Saved views',
  none: 'No view is saved in this browser.',
  note: 'Saved in this browser only. A view is a link: filters, search, order and groups.',
  name: 'Name of this view',
  save: 'Save this view',
  remove: (name: string) => `Remove the view ${name}`,
  copy: 'Copy a link to this view',
  full: 'The browser refuses to store it.',
};

export const keys = {
  toggle: 'Single-letter keys',
  toggleHelp:
    'Switch them off when they get in the way of speech input or of a screen reader. Ctrl K and the keys inside a list go on.',
  everywhere: 'Everywhere',
  lists: 'In the board and the list of sessions',
  list: [
    ['/', 'search'],
    ['Enter', 'in the search: open what is plainly meant'],
    ['Esc', 'in the search: clear it'],
    ['Ctrl K', 'commands: go to anything, do anything'],
    ['f', 'freeze the page, or resume'],
    ['?', 'this help'],
  ],
  rows: [
    ['↓ or j', 'next row; from the search or the page, into the list'],
    ['↑ or k', 'row before'],
    ['Page Down, Page Up', 'a screenful on, a screenful back'],
    ['Home, End', 'first row, last row'],
    ['Enter', 'open the row; in a group’s head, open or close it'],
    ['← →', 'in a group’s head: close it, open it'],
    ['m', 'menu of the row: copy and hand over'],
  ],
};
