/** English: the frame of every page, freshness, and page errors. */
import { formatCount } from '@/lib/i18n/format/format';
import { capital, counted, countWord } from './plural';

export const shell = {
  brand: 'Signalbox',
  skip: 'Skip to the content',
  skipToList: 'Skip to the first row',
  nav: {
    label: 'Pages',
    board: 'Board',
    sessions: 'Sessions',
    findings: 'Findings',
    graph: 'Graph',
    history: 'History',
    audit: 'Audit',
    shares: 'Shares',
  },
  signedOut: 'You are signed out here.',
  /** `all`: the whole board. */
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
    n === 0 ? 'Nothing in view needs attention' : `${n} ${n === 1 ? 'needs' : 'need'} attention`,
  /** The urgent ones, for readers who cannot see the colour. */
  needsUrgent: (n: number) => `${countWord(n)} urgent`,
  needsUnknown: 'Whether anything needs attention is unknown',
  theme: { toDark: 'Switch to the dark theme', toLight: 'Switch to the light theme' },
  legend: {
    open: 'Help: lamps and keys (?)',
  },
  /** For a server that may not read everything. */
  ownSight:
    'Signalbox’s own token may not read everything here. It judges by what your token may read, and may take the rest for absent. An administrator can widen its token (docs/operations.md).',
  /** For rights that are checked less often than every 5 s. */
  slowRights: (every: string) =>
    `Signalbox follows many different rights and checks yours every ${every}. A revoked right may still show until then.`,
  demo: 'Demo: Signalbox runs these processes. Other users of this Consul appear too.',
  /** For several sources. */
  sources: {
    label: 'source',
    any: 'any',
    asOf: ' · as of ',
  },
  freshness: {
    live: (time: string) => `live · ${time}`,
    liveHelp: 'The time of the server’s last answer.',
    /** Precedes the title of a tab. */
    tab: 'stale',
    catchingUp: 'catching up',
    stale: (time: string) => `stale since ${time}`,
    staleUnknown: 'stale',
    connecting: 'connecting',
    label: 'Freshness of the data',
    asOf: ['As of ', ': '],
    /** On a page about several sources: one that is old or was never read, and the number of them. */
    asOfOne: (source: string) => `${source} as of `,
    unreadOne: (source: string) => `${source} not read`,
    notLive: (n: number) => `${n === 1 ? '1 source' : `${n} sources`} not live`,
    next: ', ',
  },
  banner: {
    label: 'About this data',
    unread: 'Signalbox has read nothing yet.',
    unreadText: 'Signalbox keeps trying. This page fills automatically.',
    cutOffText: 'This page fills automatically when it is back.',
    /** Follows the last known state. */
    sinceText: 'Later changes are unknown. This page updates automatically when it can.',
  },
  copy: { label: (what: string) => `Copy ${what}`, done: 'Copied' },
  error: {
    title: 'This page failed.',
    text: 'This is a bug in Signalbox. Locks are not affected, and nothing was written.',
    retry: 'Try again',
    reference: (digest: string) => `For the log: ${digest}`,
  },
  loading: 'Reading locks and sessions…',
  tooLarge: (rows: number) =>
    `${formatCount(rows)} rows are too many for this page. On the board, the server answers each search and filter. Each lock, semaphore and session has its own page.`,
};

export const legend = {
  ...shell.legend,
  title: 'Lamps and keys',
  intro:
    'The shape shows the verdict; the colour repeats it. Signalbox concludes a verdict from the server’s facts.',
  urgent: 'A red, filled triangle means urgent.',
  warning: 'An amber, hollow one is a warning.',
  notVisible: 'n/v: nothing records who waits for a plain lock.',
  clock: (ahead: boolean, by: string) =>
    `This machine’s clock is ${by} ${ahead ? 'ahead of' : 'behind'} Signalbox’s. Times here follow Signalbox’s clock.`,
  keysTitle: 'Keys',
  close: 'Close',
};

export const announce = {
  changes: (n: number) => `${capital(counted(n, 'lock or semaphore', 'locks or semaphores'))} changed.`,
  needs: (n: number, before: number) =>
    `${n} ${n === 1 ? 'needs' : 'need'} attention${n > before ? `, ${n - before} more than before` : ''}.`,
  /** `severity`: urgent or warning. */
  found: (severity: string, what: string, where: string) => `New, ${severity}: ${what}, ${where}.`,
  mended: (_severity: string, what: string, where: string) => `Cleared: ${what}, ${where}.`,
  fresh: 'The data is live again.',
  lost: 'The connection to Signalbox is lost.',
  notFresh: 'The data is now stale.',
};

/** A page that cannot be shown now; the reason stands between the two. */
export const trouble = {
  title: 'Signalbox cannot show this page right now.',
  text: 'This says nothing about the locks: on the server they are unchanged.',
};

export const notFound = {
  title: 'Page not found.',
  text: 'The address may come from another version. The board lists every lock and semaphore.',
  toBoard: 'Go to the board',
};
