import type { WayOut } from '@/lib/domain/waitgraph/waitgraph';
import { capital, counted } from '@/lib/i18n/en/plural';

export const graph = {
  title: 'Graph',
  sentence: (waiting: number, knots: number) =>
    waiting === 0
      ? 'No visible waiters.'
      : `${capital(counted(waiting, 'client waits', 'clients wait'))}${
          knots === 0
            ? ', no visible deadlock.'
            : `. ${capital(counted(knots, 'deadlock', 'deadlocks'))}: the clients in ${knots === 1 ? 'it' : 'them'} cannot proceed.`
        }`,
  apart: (n: number) =>
    n === 0 ? '' : `${capital(counted(n, 'holder', 'holders'))} not drawn: no visible waiters.`,
  limits:
    'Nothing records who waits for a plain lock. Signalbox cannot see a deadlock through plain locks. A waiting client is assumed idle.',
  /** Some of the semaphore's entries may be hidden. */
  part: 'There may be waiters that you may not see. Signalbox neither counts nor draws them, and cannot show their deadlocks.',
  words: 'In words',
  drawing: 'Drawn',
  drawingLabel: 'Wait graph: the clients that block others stand left. The text before it says the same.',
  help: 'Drag or use the arrow keys to move, + and − to zoom, 0 to fit.',
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  fit: 'Fit',
  preparing: 'Drawing…',
  held: (changes: number) =>
    changes === 0
      ? 'The drawing holds still while you are in it.'
      : `On hold: ${counted(changes, 'change waits', 'changes wait')} until you leave the drawing.`,
  waitsFor: 'waits for',
  heldBy: 'held by',
  knot: 'deadlock',
  legend: {
    label: 'Legend',
    thing: 'lock or semaphore',
    client: 'client',
    waits: 'waits for',
    heldBy: 'held by',
  },
  /** One of a knot: `x holds a and waits for b, held by y.` */
  knotTitle: (n: number, behind: number) =>
    `Deadlock of ${n}${behind === 0 ? '' : `; ${counted(behind, 'more waits', 'more wait')} behind`}`,
  member: { holds: 'holds', and: 'and waits for', heldBy: ', held by' },
  joined: (owner: string, sessions: number) =>
    `${counted(sessions, 'session', 'sessions')}, matched by owner name: ${owner}`,
  root: {
    heldBy: 'held by',
    nobody: 'no holder',
    /** The last holders that they wait for. */
    blocker: (n: number) => (n === 1 ? 'no visible wait of its own' : 'no visible waits of their own'),
    ways: {
      'free-slot': 'a slot is free: a client is about to enter, or cannot',
      'entry-not-understood': 'Signalbox does not understand the entry',
      'holder-in-doubt': 'a holder may be dead, or cannot be judged',
    } satisfies Readonly<Record<Exclude<WayOut, 'ghost'>, string>>,
    ghosts: (n: number) => counted(n, 'ghost takes a slot', 'ghosts take a slot each'),
  },
  waiting: (n: number) => `${counted(n, 'waits', 'wait')}`,
  more: (n: number) => `and ${n} more`,
  alsoHolds: 'and holds',
  box: {
    wait: (n: number) => `${n} ${n === 1 ? 'waits' : 'wait'}`,
    hold: (n: number) => `${n} ${n === 1 ? 'holds' : 'hold'}`,
    ghosts: (n: number) => `${n} ${n === 1 ? 'ghost' : 'ghosts'}`,
    /** Under it. */
    ghostsTake: (n: number) => (n === 1 ? 'takes a slot, holds nothing' : 'take a slot each'),
    slots: (limit: number | null) => (limit === null ? 'limit unknown' : counted(limit, 'slot', 'slots')),
    lock: 'lock; waiters not visible',
    thing: 'semaphore',
  },
  empty: {
    none: 'No visible waiters.',
    noneText:
      'A session that waits for a slot appears here at once, with the sessions that it waits for. Nothing records who waits for a plain lock.',
  },
};
