/** English, part seven: the copy menu, and the text that it puts into an incident channel. */

export const copy = {
  button: 'Copy',
  row: (name: string) => `Menu of ${name}`,
  open: 'Open',
  done: 'Copied',
  refused: 'The browser did not let it be copied. Here it is:',
  close: 'Close',
  items: {
    key: 'Key',
    prefix: 'Prefix',
    id: 'Session id',
    link: 'Link to its page',
    view: 'Hand-off link: this view, at this row',
    here: 'Hand-off link: this page as it is',
    markdown: 'Markdown, for an incident channel',
    curl: 'curl, to read it by hand',
    txn: 'Transaction JSON, a guarded read',
  },
  markdown: {
    kinds: { lock: 'Lock', semaphore: 'Semaphore', session: 'Session' },
    holders: 'Holders',
    waiters: (n: number, part: boolean) =>
      `Waiting: ${n}${part ? ', and perhaps others whom I may not see' : ''}`,
    waitersUnseen: 'Waiting: not visible in Consul for a plain lock',
    more: (n: number) => `and ${n} more`,
    session: (id: string) => `session ${id}`,
    node: (name: string) => `node ${name}`,
    since: (text: string) => `since ${text}`,
    atLeast: (text: string) => `held for at least ${text}`,
    sinceUnknown: 'since when is not known',
    holds: 'Holds',
    wants: 'Wants',
    findings: 'Needs a human',
    /** `at` and `contact` are instants with their zone. */
    fresh: (at: string) => `As Signalbox showed it at ${at}, live from Consul.`,
    old: (at: string) => `NOT FRESH: last known state, read from Consul until ${at}.`,
    never: 'NOT FRESH: Consul has not answered yet.',
    frozen: (at: string) => `FROZEN: as it was shown at ${at}; it may have changed since.`,
  },
};
