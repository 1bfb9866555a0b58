/** English, part two: the frame around every page, freshness, and the errors of a page. */
import { capital, counted } from './words';

export const shell = {
  brand: 'Signalbox',
  skip: 'Skip to the content',
  nav: { label: 'Pages', board: 'Board', sessions: 'Sessions' },
  search: {
    label: 'Search key, session, node, holder',
    placeholder: 'Search key, session, node, holder…',
    hint: '/',
  },
  datacenter: (name: string | null) => name ?? 'datacenter unknown',
  needsHuman: (n: number) =>
    n === 0 ? 'Nothing needs a human' : `${n} ${n === 1 ? 'needs' : 'need'} a human`,
  theme: { toDark: 'Switch to the dark theme', toLight: 'Switch to the light theme' },
  legend: {
    open: 'Help: what the lamps mean, and the keys (?)',
    title: 'Lamps and keys',
    intro:
      'The shape says the verdict; the colour only repeats it. A verdict is what Signalbox concludes from facts that Consul gives.',
    red: 'The red triangle marks what needs a human now.',
    notVisible:
      'n/v: not visible. Sessions that wait for a plain lock leave no trace in Consul, so nobody can count them.',
    keysTitle: 'Keys',
    keys: [
      ['/', 'search; Ctrl K does the same'],
      ['↓', 'from the search to the first row of the board'],
      ['↑ ↓', 'from row to row; Home and End to the first and the last'],
      ['Enter', 'open the row'],
      ['?', 'this help'],
    ],
    close: 'Close',
  },
  demo: 'This is a demo world: processes that Signalbox started contend here, beside whatever else uses this Consul.',
  freshness: {
    live: (time: string) => `live · ${time}`,
    catchingUp: 'catching up',
    stale: (time: string) => `stale since ${time}`,
    staleUnknown: 'stale',
    down: 'Consul does not answer',
    connecting: 'connecting',
    lost: 'disconnected',
    label: 'Freshness of what is shown',
    asOf: ['As of ', ': '],
  },
  banner: {
    label: 'About this data',
    lostTitle: 'This page has lost its connection to Signalbox.',
    lost: (age: string) =>
      `What you see is the last state, ${age} old. It reconnects by itself. Nothing can be changed from here until then; locks in Consul are not affected.`,
    staleTitle: 'What is shown may be old.',
    downTitle: 'Consul does not answer.',
    stale: (age: string | null) =>
      `What you see is the last known state${age === null ? '' : `, ${age} old`}. Searching and reading still work; actions wait until the data is fresh.`,
    emptyDown: 'Nothing has been read yet. Signalbox keeps trying; this page fills by itself.',
    origin: (origin: string) => `Signalbox reads ${origin}.`,
  },
  announce: {
    changes: (n: number) => `${capital(counted(n, 'lock or semaphore', 'locks or semaphores'))} changed.`,
    needs: (n: number, before: number) =>
      `${n} ${n === 1 ? 'needs' : 'need'} a human now${n > before ? `, ${n - before} more than before` : ''}.`,
    fresh: 'The data is live again.',
    lost: 'The connection to Signalbox is lost.',
    notFresh: 'The data is not fresh any more.',
  },
  copy: { label: (what: string) => `Copy ${what}`, done: 'Copied' },
  error: {
    title: 'This page failed.',
    text: 'Something in Signalbox itself went wrong. Locks in Consul are not affected, and nothing was written.',
    retry: 'Try again',
    reference: (digest: string) => `For the log: ${digest}`,
  },
  notFound: {
    title: 'There is no such page.',
    text: 'The address may be from another version. The board has every lock and semaphore.',
    toBoard: 'Go to the board',
  },
  loading: 'Reading locks and sessions…',
};
