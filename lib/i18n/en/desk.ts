/** English, part six: what one works with on every page: search, frozen pages, and what opens the other tools (`tools.ts`). */

import { formatCount } from '@/lib/i18n/format/format';
import { capital, counted } from './words';

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
