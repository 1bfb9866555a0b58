/** English: sharing with readers, and the page of what is shared. */
import type { GrantCause, GrantState } from '@/lib/domain/sharing/grant';
import { shell } from './shell';

export const share = {
  title: (name: string) => `Share ${name}`,
  titleAll: shell.share.all,
  titlePrefix: (prefix: string) => `Share what begins with ${prefix}`,
  reader: {
    title: 'What a reader will see',
    lock: 'This lock: who holds it, the verdict with its evidence, since when, and how it ends.',
    semaphore: 'This semaphore: slots, holders with verdict and evidence, and who waits.',
    board: (rows: number) =>
      `Every lock and semaphore whose name begins with it. You see ${rows} now; all that come later are shown as well.`,
    boardAll: (rows: number) =>
      `Every lock and semaphore. You see ${rows} now; all that come later are shown as well.`,
    never: 'Nothing else, and nothing that writes. Whoever has the link sees it, without a sign-in.',
    server: 'It is read with the server’s own token: the link shows what that token sees within this scope.',
    maker:
      'It shows what your Consul token may read at that moment. The link ends when your token is deleted or expires.',
    expires: 'Your token expires',
    sessions:
      'Sessions, nodes and checks are left out unless your Consul token may read all of them: then a holder is a bare id.',
  },
  values: {
    label: 'Show stored values',
    help: 'Also what they name: owners, Terraform’s lock info. Values may hold secrets.',
  },
  frames: {
    label: 'Where it may be framed',
    help: 'Origins, one a line, such as https://wiki.example.com or https://*.example.com. None: no page may frame it; link and badge work all the same. * is every page.',
    wrong: (line: string) => `“${line}” is not an origin.`,
  },
  end: {
    label: 'Ends',
    never: 'when it is revoked',
    day: 'in a day',
    week: 'in a week',
    month: 'in 30 days',
    year: 'in a year',
  },
  label: { label: 'Note', help: 'Where it is used, for the list of shares. Readers do not see it.' },
  /** What a person may do whose token reads less than the link would show. */
  beyondNext:
    'It takes a Consul token that may read every key of this scope, and every session that holds or waits there. Sign in with one, share less, or ask somebody who has one.',
  create: 'Create link',
  creating: 'Creating…',
  cancel: 'Cancel',
  close: 'Close',
  made: {
    title: 'The link is ready',
    once: 'It is shown this once: Signalbox keeps only its digest. Whoever has it can read, so treat it like a key.',
    look: 'Look at it',
    local: 'This address is that of your browser. Others may need another one (SIGNALBOX_URL).',
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
      link: 'Opens by itself in any browser.',
      html: 'The page around it must be one of those that may frame it.',
      badge:
        'For a README. A proxy of pictures, like GitHub’s, fetches it from the internet and may keep it for minutes.',
      grafana: 'Text panel, mode HTML. Grafana removes frames unless disable_sanitize_html = true.',
      confluence: 'Paste it as the address of the iframe macro. Not tried here.',
      notion: 'Paste it with /embed. Not tried here.',
      json: 'The same as data, read-only.',
    },
  },
  copy: (what: string) => `Copy: ${what}`,
  copied: 'Copied',
  page: {
    title: shell.nav.shares,
    sentence: (active: number, all: number) =>
      all === 0
        ? 'Nothing is shared with readers.'
        : `${active} ${active === 1 ? 'share is' : 'shares are'} active, of ${all} in all.`,
    own: 'You see the shares that you made.',
    whole: 'You see everybody’s shares.',
    tokens: 'Signed tokens are never stored, so they are not listed. One that names a share ends with it.',
    empty: 'Share a lock, a semaphore or the board from its page.',
    off: 'Embeds are switched off here (SIGNALBOX_EMBEDS=off). No link shows anything.',
    failed: 'The shares cannot be read right now.',
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
    noSessions: 'without sessions',
    frames: (frames: string) => `framed by ${frames}`,
    noFrames: 'not framed',
    by: (who: string) => `by ${who}`,
    anonymous: 'somebody not known',
    never: 'never',
    notEnding: 'when revoked',
    notEndingBefore: 'when revoked, or with its maker’s token',
    tokenEnd: 'with its maker’s token',
    causes: {
      'no-token':
        'Shows nothing: the token of who made it is not kept. Resume it, signed in as its maker, or make it again.',
      unreadable:
        'Shows nothing: this server cannot open the sealed token of who made it (SIGNALBOX_SECRET has changed, or is not set). Resume it, signed in as its maker, or make it again.',
      'token-gone': 'Ended: Consul has forgotten the token of who made it. Make it again.',
      'server-narrow':
        'Shows nothing: Signalbox’s own Consul token may not read everything that is watched (docs/operations.md).',
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
      pause: 'Paused: what it had opened ends within seconds.',
      resume: 'Active again.',
      revoke: 'Revoked: what it had opened ends within seconds.',
    },
  },
};
