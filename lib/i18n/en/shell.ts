/** English, part two: the frame around every page, freshness, and the errors of a page. */
import { formatCount } from '@/lib/i18n/format/format';
import { capital, counted } from './plural';

export const shell = {
  brand: 'Signalbox',
  skip: 'Skip to the content',
  nav: {
    label: 'Pages',
    board: 'Board',
    sessions: 'Sessions',
    findings: 'Findings',
    graph: 'Graph',
    audit: 'Audit',
    shares: 'Shares',
  },
  signedOut: 'You are signed out here.',
  /** The button that shares what is shown; `all` while that is the whole board. */
  share: {
    button: 'Share',
    open: (name: string) => `Share ${name} with readers`,
    all: 'Share the whole board',
  },
  search: {
    label: 'Search key, session, node, holder',
    placeholder: 'Search key, session, node, holder…',
    hint: '/',
  },
  datacenterShort: 'dc ?',
  datacenterUnknown: 'datacenter unknown',
  needsHuman: (n: number) =>
    n === 0 ? 'Nothing in view needs a human' : `${n} ${n === 1 ? 'needs' : 'need'} a human`,
  needsUnknown: 'What needs a human is not known',
  theme: { toDark: 'Switch to the dark theme', toLight: 'Switch to the light theme' },
  legend: {
    open: 'Help: what the lamps mean, and the keys (?)',
  },
  /** Where the server itself may not read everything. */
  ownSight:
    'The token of Signalbox itself may not read everything here, so what you see is judged by what your own token may read: what it may not read may be taken for absent. Whoever runs Signalbox can widen its token (docs/operations.md).',
  /** Where rights are checked less often than every 5 s. */
  slowRights: (every: string) =>
    `Signalbox follows many different rights, so it checks yours every ${every}. A right that was taken away may still show until then.`,
  demo: 'This is a demo world: processes that Signalbox started contend here, beside whatever else uses this Consul.',
  freshness: {
    live: (time: string) => `live · ${time}`,
    liveHelp: 'The time of Consul’s last answer.',
    /** Before the title of a tab. */
    tab: 'stale',
    catchingUp: 'catching up',
    stale: (time: string) => `stale since ${time}`,
    staleUnknown: 'stale',
    connecting: 'connecting',
    label: 'Freshness of what is shown',
    asOf: ['As of ', ': '],
  },
  banner: {
    label: 'About this data',
    unread: 'Consul could not be read yet.',
    unreadText: 'Signalbox keeps trying; this page fills by itself.',
    cutOffText: 'This page fills by itself as soon as it is back.',
    /** After what was known last. */
    sinceText: 'What has come since is not known. This page follows by itself as soon as it can.',
  },
  copy: { label: (what: string) => `Copy ${what}`, done: 'Copied' },
  error: {
    title: 'This page failed.',
    text: 'Something in Signalbox itself went wrong. Locks in Consul are not affected, and nothing was written.',
    retry: 'Try again',
    reference: (digest: string) => `For the log: ${digest}`,
  },
  loading: 'Reading locks and sessions…',
  tooLarge: (rows: number) =>
    `${formatCount(rows)} rows are too many for this page. On the board the server answers each search and filter; a lock, a semaphore and a session have their own pages.`,
};

export const legend = {
  ...shell.legend,
  title: 'Lamps and keys',
  intro:
    'The shape says the verdict; the colour only repeats it. A verdict is what Signalbox concludes from facts that Consul gives.',
  red: 'The red triangle marks what needs a human now.',
  notVisible:
    'n/v: not visible. Sessions that wait for a plain lock leave no trace in Consul, so nobody can count them.',
  clock: (ahead: boolean, by: string) =>
    `The clock of this machine is ${by} ${ahead ? 'ahead of' : 'behind'} that of Signalbox. Times here are by that of Signalbox.`,
  keysTitle: 'Keys',
  close: 'Close',
};

export const announce = {
  changes: (n: number) => `${capital(counted(n, 'lock or semaphore', 'locks or semaphores'))} changed.`,
  needs: (n: number, before: number) =>
    `${n} ${n === 1 ? 'needs' : 'need'} a human now${n > before ? `, ${n - before} more than before` : ''}.`,
  found: (what: string, where: string) => `New: ${what}, ${where}.`,
  mended: (what: string, where: string) => `Gone: ${what}, ${where}.`,
  fresh: 'The data is live again.',
  lost: 'The connection to Signalbox is lost.',
  notFresh: 'The data is not fresh any more.',
};

/** A page that cannot be shown now, for a reason that is said between the two. */
export const trouble = {
  title: 'This page cannot be shown right now.',
  text: 'That says nothing about the locks: in Consul they are as they were.',
};

export const notFound = {
  title: 'There is no such page.',
  text: 'The address may be from another version. The board has every lock and semaphore.',
  toBoard: 'Go to the board',
};
