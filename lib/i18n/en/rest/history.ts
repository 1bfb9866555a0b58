/** English: what was seen of a lock or semaphore over time. */
import type { Clearing, Gap, HoldEnd, lastedBasis, Moment, WaitEnd } from '@/lib/domain/history/episode';

export const history = {
  title: 'History',
  linkTitle: (name: string) => `What was seen of ${name}`,
  loading: 'Reading the history…',
  failed: 'The history cannot be read right now. The locks themselves are not affected.',
  again: 'Try again',
  off: 'This console keeps no history (SIGNALBOX_HISTORY=off).',
  away: (since: string) => `Nothing is kept since ${since}: the store does not answer.`,
  keptSince: (time: string) => `Kept since ${time}.`,
  none: 'No hold was seen in this time.',
  /** For permits of Redis, or a lock with an unknown holder. */
  unnamed: 'Who holds it is not known, so holds are missing here.',
  more: 'Only the newest part of this time is shown. Choose a shorter one.',
  folded: (n: string) => `Old and very short holds are only counted, by the hour: ${n}.`,
  /** Beside the current hold. `who`: of several, the one that holds longest. */
  usual: {
    held: (who: string | null, held: string, usual: string) =>
      who === null ? `Held ${held}; usual ${usual}` : `Longest now: ${who}, held ${held}; usual ${usual}`,
    hold: (usual: string) => `Usually held ${usual}`,
    wait: (usual: string) => `Usual wait ${usual}`,
    detail: (p95: string, max: string, n: string) => `p95 ${p95}, longest ${max}, of ${n} in the last 24 h`,
    /** There were more. */
    detailInPart: (p95: string, max: string, n: string) =>
      `p95 ${p95}, longest ${max}, of ${n} in the last 24 h, which are not all`,
  },
  ranges: {
    label: 'Time range',
    hour: '1 h',
    sixHours: '6 h',
    day: '24 h',
    week: '7 d',
    move: 'Move in time',
    choose: 'Choose a time range',
    from: 'From',
    to: 'to',
    show: 'Show',
    wrong: {
      order: 'The end must be after the beginning.',
      future: 'This time has not come yet.',
      long: 'At most 31 days can be shown at once. Choose a shorter time.',
    },
    earlier: 'Earlier',
    later: 'Later',
    closer: 'Zoom in',
    wider: 'Zoom out',
    link: 'Link to this range',
    linkDone: 'Copied',
  },
  /** The label of the drawing. */
  label: (name: string, from: string, to: string) => `Timeline of ${name} from ${from} to ${to}`,
  keys: 'Arrow keys move between holds and marks; plus and minus zoom; Page Up and Page Down move in time.',
  /** For pointers only. Keys do not need it. */
  gestures: 'Ctrl + wheel or a pinch zooms; dragging moves in time.',
  table: 'As a table',
  columns: {
    what: 'What',
    who: 'Who',
    from: 'From',
    to: 'To',
    lasted: 'Lasted',
    end: 'How it went',
    waiters: 'Most waiting',
  },
  bar: (who: string, lasted: string, from: string, end: string) =>
    `${who} held ${lasted} from ${from}: ${end}`,
  /** The kinds of rows in the table. */
  entries: {
    hold: 'hold',
    verdict: 'verdict',
    wait: 'wait',
    finding: 'finding',
    severity: 'severity',
    limit: 'limit',
    deed: 'action',
    gap: 'gap',
    unread: 'not known',
  },
  turned: (finding: string, severity: string) => `${finding}: now ${severity}`,
  moment: (at: string, what: string) => `${at}: ${what}`,
  span: (from: string, to: string | null, what: string) =>
    to === null ? `since ${from}: ${what}` : `${from} to ${to}: ${what}`,
  holds: 'holds now',
  waits: 'waits now',
  unsettled: 'ended',
  basis: {
    observed: '',
    'at-least': '≤ ',
    'at-most': '≤ ',
    value: '',
  } satisfies Record<Moment['basis'], string>,
  /** The length of a hold, by its precision. */
  lasted: {
    exact: (span: string) => span,
    'at-least': (span: string) => `≥ ${span}`,
    'at-most': (span: string) => `≤ ${span}`,
    unknown: () => 'for an unknown time',
  } satisfies Record<ReturnType<typeof lastedBasis>, (span: string) => string>,
  ends: {
    released: 'released',
    'session-ended': 'session ended',
    'lease-ended': 'lease ended',
    'evicted-here': 'removed from Signalbox',
    'entry-deleted': 'entry deleted',
    'entry-overwritten': 'record overwritten',
    'not-watched': 'ended while not watched',
  } satisfies Record<HoldEnd, string>,
  /** Follows the end of a hold, or a finding's name. */
  detail: {
    and: '; ',
    followed: (span: string) => `a lock-delay of ${span} followed`,
    token: (token: string) => `fencing token ${token}`,
    cleared: {
      action: 'cleared by an action of Signalbox',
      time: 'cleared by time: a TTL, a lease or a check ended it',
      client: 'cleared by a client',
      'not-watched': 'cleared while not watched',
    } satisfies Record<Clearing, string>,
  },
  waitEnds: {
    'got-in': 'got in',
    left: 'left',
    'session-ended': 'session ended',
    'removed-here': 'removed from Signalbox',
    'not-watched': 'ended while not watched',
  } satisfies Record<WaitEnd, string>,
  gaps: {
    outage: 'not watched: outage',
    restart: 'not watched: Signalbox did not run, or had not read it yet',
    behind: 'not kept: too much at once',
  } satisfies Record<Gap['why'], string>,
  unread: 'not kept then, or not read yet',
  waiting: (n: number) => `most waiting: ${n}`,
  by: (who: string | null) => (who === null ? 'anonymous' : who),
  because: (reason: string) => `: ${reason}`,
  recovery: {
    removed: (whom: string, at: string, by: string, took: string) =>
      `${whom} removed ${at} by ${by}; ${took}`,
    taken: (who: string) => `taken by ${who}`,
    takenAfter: (who: string, after: string) => `taken by ${who} after ${after}`,
    nobody: 'not taken since',
    /** Signalbox did not see all of the time after `at`. */
    nobodyBy: (at: string) => `nobody had taken it up to ${at}; later holders may be missing`,
    nextSeen: (who: string) => `next seen held by ${who}, and earlier holders may be missing`,
    counted: 'who came next is not kept, as short holds are only counted',
    /** Follows the sentence. Nothing was lost and no finding was open meanwhile. */
    stable: (span: string) => `; stable for ${span}`,
    dismiss: 'Dismiss',
    dismissHelp: 'Hide it in this browser. Everybody sees it for 24 h after the action.',
  },
  /** The last hour of a row of the board. */
  column: {
    /** `watched`: how long, where that was not the whole hour. */
    held: (percent: string, watched: string | null) =>
      watched === null
        ? `Held ${percent} % of the last hour`
        : `Held ${percent} % of the ${watched} that were watched in the last hour`,
    waited: (held: string, n: number) => `${held}, up to ${n} waited`,
    unseen: 'Not watched in the last hour',
    off: 'not kept',
    away: 'cannot be read',
    help: {
      off: 'This console keeps no history (SIGNALBOX_HISTORY=off).',
      away: 'The store of the history does not answer. The locks themselves are not affected.',
    },
  },
  past: {
    title: (time: string) => `The board as it was at ${time}`,
    label: 'The past',
    age: (age: string) => `${age} ago`,
    back: 'Back to live',
    time: 'Date and time',
    show: 'Show',
    ago: (span: string) => `${span} ago`,
    menu: 'The board at an earlier time',
    menuHelp: 'From the history that this console keeps.',
    steps: {
      label: 'Step in time',
      earlier: (span: string) => `${span} earlier`,
      later: (span: string) => `${span} later`,
      previous: '‹ Previous change',
      next: 'Next change ›',
      noPrevious: 'No earlier change is kept.',
      noNext: 'No later change is kept.',
      /** Not all was looked at, some is only counted, or not all may be read. */
      previousNotFound: 'No earlier change was found.',
      nextNotFound: 'No later change was found.',
      searched: 'Changes of rows outside the search count, too.',
    },
    reading: 'Reading the past…',
    noTime: 'This address names no time.',
    noTimeText: 'Choose a date and time above, or go back to live.',
    future: 'This time has not come yet.',
    notKept: 'Nothing is kept of this time.',
    table: 'Locks and semaphores that were held or waited for',
    columns: {
      name: 'Lock or semaphore',
      holder: 'Held by',
      since: 'Held then for',
      waiting: 'Waiting',
      end: 'What became of it',
    },
    /** For a row that is there for its waits. It may have been free, or its holder was not seen. */
    holderUnknown: 'not known who held it',
    slots: (held: number, limit: number) => `${held} of ${limit} slots`,
    waitingUnknown: 'not known',
    more: (n: number) => `and ${n} more`,
    ended: (how: string, at: string, lasted: string) => `${how} ${at}, held ${lasted} in all`,
    goesOn: 'still held at the last look',
    unseen: {
      outage: (name: string) => `${name}: not watched then, for an outage. What was held is not known.`,
      restart: (name: string) =>
        `${name}: not watched then: Signalbox did not run, or had not read it yet. What was held is not known.`,
      behind: (name: string) =>
        `${name}: not kept then, too much happened at once. What was held is not known.`,
      'not-kept': (name: string) => `${name}: nothing is kept of this time. What was held is not known.`,
      'not-written': (name: string) =>
        `${name}: this time is not written yet. Try again in a few seconds, or go back to live.`,
    },
    nothing: 'Nothing was seen held then.',
    noMatch: 'Nothing that was held then matches the search.',
    shown: (shown: number, all: number) =>
      shown === all ? `${all} shown.` : `${shown} of ${all} shown. The search narrows them.`,
    free: 'The history keeps holds: what nobody held then is not listed, nor permits whose holders the server does not name.',
    counted: (n: number) =>
      `${n} more ${n === 1 ? 'was' : 'were'} held in this hour so briefly, or so long ago, that holds are only counted.`,
    cut: 'There were more rows than one answer holds.',
    boardAt: (time: string) => `The board at ${time}`,
  },
  page: {
    sentence: 'What happened, newest first',
    help: 'Losses, removals, unusually long holds, changed limits, and times in which Signalbox did not look.',
    prefix: 'Names that begin with…',
    between: (from: string, to: string) => `${from} to ${to}`,
    lost: 'Only what was not released',
    report: 'Incident report',
    copy: 'Copy the incident report as Markdown',
    list: 'What happened, newest first',
    nothing: 'Nothing of this kind was seen in this time.',
    shown: (shown: number, all: number) =>
      shown === all ? `${all} shown.` : `The newest ${shown} of ${all} shown.`,
    held: (who: string, lasted: string, end: string) => `${who} held ${lasted}: ${end}`,
    long: (who: string, lasted: string, p99: string, n: string, end: string) =>
      `${who} held ${lasted}, where 99 % of ${n} holds lasted at most ${p99}: ${end}`,
    removed: (who: string, waited: string, how: string) => `${who} waited ${waited}: ${how}`,
    limit: (before: number, after: number, by: string | null) =>
      `limit changed from ${before} to ${after}${by === null ? '' : `, ${by}`}`,
    flapping: (lasted: string) => `changed hands too fast, for ${lasted}`,
    gap: (why: string, lasted: string) => `${why}, for ${lasted}`,
  },
  figures: {
    title: 'By the hour, and how long it takes',
    columns: {
      part: 'Names',
      held: 'Held',
      lost: 'Lost',
      unseen: 'Not watched',
      holds: 'Holds',
      waits: 'Waits',
    },
    ofWaits: (figure: string) => `${figure} of waits`,
    /** `null`: too many to count. */
    others: (n: number | null) => (n === null ? 'all others' : `${n} more`),
    lengths: 'How long holds and waits take',
    exact: 'p50, p95 and max are of what was seen whole. Percentiles are up to 5 % off.',
    countedFrom: (time: string) => `Counted from ${time} on.`,
    uncounted: 'Nothing of this time is counted: it is not kept, too much to count, or not yours to read.',
  },
  /** The map of held and lost names by the hour. */
  heat: {
    label: 'Held and lost by the hour. Arrow keys move between cells; Enter opens one.',
    cell: (name: string, span: string, facts: readonly string[]) => `${name}, ${span}: ${facts.join(', ')}`,
    held: (span: string) => `held ${span}`,
    idle: 'not held',
    lost: (n: string) => `${n} lost`,
    unseen: 'not watched',
    partUnseen: (span: string) => `${span} not watched`,
    open: 'Show this time',
    openName: 'Show these names',
    weak: 'held less',
    strong: 'more',
    number: 'holds lost: not released',
    hatched: 'not watched: nothing is known',
    legend: (cell: string) =>
      `A cell is ${cell}. Its strength is how long its row was held then, beside the most held cell of that row. Rows with the most lost holds come first.`,
  },
  report: {
    title: 'Incident report',
    everything: 'everything in view',
    range: (from: string, to: string, zone: string) => `${from} to ${to}, ${zone}`,
    stuck: 'Stuck now',
    deeds: 'Done from Signalbox',
    gaps: 'Not watched',
    findings: 'Findings',
    holds: 'Who held what',
    held: (lasted: string) => `held ${lasted}`,
    goesOn: 'goes on',
    severity: (severity: string, at: string) => `${severity} from ${at}`,
    older: (n: number) => `${n} older ones are left out`,
  },
};
