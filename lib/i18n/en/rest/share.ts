/** English: sharing with readers, and the page of shares. */
import type { GrantCause, GrantState } from '@/lib/domain/sharing/grant';
import { shell } from '@/lib/i18n/en/shell';

export const share = {
  title: (name: string) => `Share ${name}`,
  titleAll: shell.share.all,
  titlePrefix: (prefix: string) => `Share names that begin with ${prefix}`,
  reader: {
    title: 'A reader sees',
    lock: 'This lock: its holder, the verdict with evidence, its start and its end.',
    semaphore: 'This semaphore: slots, holders with verdict and evidence, and waiters.',
    board: (rows: number) =>
      `Every lock and semaphore whose name begins with it. You see ${rows} now; later ones appear too.`,
    boardAll: (rows: number) => `Every lock and semaphore. You see ${rows} now; later ones appear too.`,
    never: 'Nothing else, and no writes. Anyone with the link can look, without a sign-in.',
    server: 'Signalbox reads with the server’s own token: the link shows what that token sees in this scope.',
    maker:
      'The link shows what your Consul token may read at that moment. It ends when your token is deleted or expires.',
    expires: 'Your token expires',
    sessions:
      'Sessions, nodes and checks appear only if your Consul token may read all of them. Otherwise a holder is a bare id.',
  },
  values: {
    label: 'Show stored values',
    help: 'Includes names in them: owners, Terraform’s lock info. Values may hold secrets.',
  },
  history: {
    label: 'Show the last 24 hours',
    help: 'Who held it, how long and how it ended, as far as the link shows holders. Not who acted from Signalbox.',
  },
  frames: {
    label: 'Sites that may embed it',
    help: 'One origin a line, such as https://wiki.example.com or https://*.example.com. Empty: no site may embed it; link and badge still work. *: every site.',
    wrong: (line: string) => `“${line}” is not an origin.`,
  },
  end: {
    label: 'Ends',
    never: 'when revoked',
    day: 'in a day',
    week: 'in a week',
    month: 'in 30 days',
    year: 'in a year',
  },
  label: { label: 'Note', help: 'For the list of shares: where you use it. Readers do not see it.' },
  /** For a person whose token reads less than the link would show. */
  beyondNext:
    'Sharing needs a Consul token that may read every key of this scope, and every session that holds or waits there. Sign in with one, share less, or ask a colleague who has one.',
  create: 'Create link',
  creating: 'Creating…',
  cancel: 'Cancel',
  close: 'Close',
  made: {
    title: 'The link is ready',
    once: 'Copy the link now: Signalbox keeps only its digest. Anyone with the link can read. Treat it like a key.',
    look: 'Open',
    local: 'This is your browser’s address. Others may need another one (SIGNALBOX_URL).',
    toList: 'All shares',
  },
  snippets: {
    label: 'Snippets',
    link: 'Link',
    html: 'HTML frame',
    badge: 'Markdown badge',
    grafana: 'Grafana text panel',
    confluence: 'Confluence',
    notion: 'Notion',
    json: 'JSON',
    notes: {
      link: 'Opens in any browser.',
      html: 'The surrounding page must be on a site that may embed it.',
      badge:
        'For a README. An image proxy, such as GitHub’s, fetches it from the internet and may cache it for minutes.',
      grafana: 'Text panel, mode HTML. Grafana removes frames unless disable_sanitize_html = true.',
      confluence: 'Paste it as the iframe macro’s address. Untested.',
      notion: 'Paste it with /embed. Untested.',
      json: 'The same as data, read-only.',
    },
  },
  copy: (what: string) => `Copy: ${what}`,
  copied: 'Copied',
  page: {
    title: shell.nav.shares,
    sentence: (active: number, all: number) =>
      all === 0
        ? 'Nothing is shared.'
        : `${active} ${active === 1 ? 'share is' : 'shares are'} active, of ${all}.`,
    own: 'You see your own shares.',
    whole: 'You see everyone’s shares.',
    tokens: 'Signed tokens are never stored; they expire. One that names a share ends with it.',
    empty: 'Share a lock, a semaphore or the board from its page.',
    off: 'Embeds are off here (SIGNALBOX_EMBEDS=off). No link shows anything.',
    failed: 'Signalbox cannot read the shares right now.',
    retry: 'Try again',
    table: 'Share links',
    columns: {
      used: 'last used',
      made: 'made',
      ends: 'ends',
    },
    kinds: { board: 'board', lock: 'lock', semaphore: 'semaphore' },
    everything: 'everything',
    values: 'with values',
    history: 'with the last 24 hours',
    noSessions: 'without sessions',
    frames: (frames: string) => `embedded by ${frames}`,
    noFrames: 'not embedded',
    by: (who: string) => `by ${who}`,
    anonymous: 'anonymous',
    never: 'never',
    notEnding: 'when revoked',
    notEndingBefore: 'when revoked, or with its creator’s token',
    tokenEnd: 'with its creator’s token',
    causes: {
      'no-token':
        'Shows nothing: its creator’s token is not kept. Its creator can resume it. Or create it again.',
      unreadable:
        'Shows nothing: this server cannot open its creator’s sealed token (SIGNALBOX_SECRET changed or is not set). Its creator can resume it. Or create it again.',
      'token-gone': 'Ended: Consul no longer knows its creator’s token. Create it again.',
      'server-narrow':
        'Shows nothing: Signalbox’s own Consul token may not read every watched key (docs/operations.md).',
    } satisfies Readonly<Record<GrantCause, string>>,
    endedAt: 'ended',
    states: { active: 'active', paused: 'paused', ended: 'ended', revoked: 'revoked' } satisfies Readonly<
      Record<GrantState, string>
    >,
    pause: 'Pause',
    resume: 'Resume',
    revoke: 'Revoke',
    pauseOf: (name: string) => `Pause the share of ${name}`,
    resumeOf: (name: string) => `Resume the share of ${name}`,
    revokeOf: (name: string) => `Revoke the share of ${name}`,
    sure: 'Revoke for good',
    keep: 'Keep',
    changed: {
      pause: 'Paused. Open readers stop within seconds.',
      resume: 'Active again.',
      revoke: 'Revoked. Open readers stop within seconds.',
    },
  },
};
