/** English: the copy menu, and the text that it puts into an incident channel. */

export const copy = {
  button: 'Copy',
  row: (name: string) => `Menu of ${name}`,
  open: 'Open',
  done: 'Copied',
  refused: 'The browser refused to copy. Here is the text:',
  close: 'Close',
  items: {
    key: 'Key',
    prefix: 'Prefix',
    id: 'Session id',
    link: 'Link to this page',
    view: 'Hand-off link: this view, at this row',
    here: 'Hand-off link: this page as it is',
    markdown: 'Markdown, for an incident channel',
    curl: 'curl, to read it yourself',
    txn: 'Transaction JSON, a guarded read',
  },
  markdown: {
    kinds: { lock: 'Lock', semaphore: 'Semaphore', session: 'Session' },
    holders: 'Holders',
    waiters: (n: number, part: boolean) => `Waiting: ${n}${part ? ', perhaps more that I may not see' : ''}`,
    waitersUnseen: 'Waiting: not visible for a plain lock',
    more: (n: number) => `and ${n} more`,
    session: (id: string) => `session ${id}`,
    /** A holder without a session. */
    id: (id: string) => `id ${id}`,
    node: (name: string) => `node ${name}`,
    since: (text: string) => `since ${text}`,
    atLeast: (text: string) => `held for at least ${text}`,
    sinceUnknown: 'start unknown',
    /** The end: by an instant with its zone, within a span, or in the words of a table's cell. */
    endsBy: (at: string) => `ends by ${at} unless renewed`,
    endsWithin: (within: string) => `ends within ${within}`,
    ends: (short: string) => `ends: ${short}`,
    /** Once, below parties that end within a span. */
    withinNote: 'Ends within: if its process is dead (2 × TTL; a leader election restarts the clock).',
    holds: 'Holds',
    wants: 'Waits for',
    findings: 'Needs attention',
    /** `at` and `contact` are instants with their zone. */
    fresh: (at: string) => `As Signalbox showed it at ${at}, live.`,
    old: (at: string) => `NOT FRESH: last known state, read until ${at}.`,
    never: 'NOT FRESH: nothing was read yet.',
    frozen: (at: string) => `FROZEN: as shown at ${at}. It may have changed since.`,
  },
};
