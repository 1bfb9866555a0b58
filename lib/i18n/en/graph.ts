/** English: who waits for whom, drawn and in words. */
import type { WayOut } from '@/lib/domain/waitgraph/waitgraph';
import { capital, counted } from './plural';

export const graph = {
  title: 'Graph',
  sentence: (waiting: number, knots: number) =>
    waiting === 0
      ? 'Nobody is seen to wait.'
      : `${capital(counted(waiting, 'client waits', 'clients wait'))}${
          knots === 0
            ? ', and no deadlock is seen.'
            : `. ${capital(counted(knots, 'deadlock', 'deadlocks'))}: those in ${knots === 1 ? 'it' : 'them'} cannot go on.`
        }`,
  apart: (n: number) =>
    n === 0
      ? ''
      : `${capital(counted(n, 'client holds', 'clients hold'))} what nobody is seen to wait for, and ${n === 1 ? 'is' : 'are'} not drawn.`,
  limits:
    'Waiting for a semaphore is visible; waiting for a plain lock leaves no trace in Consul, so a deadlock through plain locks cannot be seen. A client that waits is taken to do nothing else meanwhile.',
  /** Of a semaphore of which entries may be kept from whoever looks. */
  part: 'Others may wait whom you may not see: they are not counted, and not drawn, nor is a deadlock with them seen.',
  words: 'In words',
  drawing: 'Drawn',
  drawingLabel:
    'Who waits for whom, drawn. Whoever holds the others up stands left. The same stands in words before it.',
  help: 'Drag or use the arrow keys to move, + and − to zoom, 0 to fit.',
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  fit: 'Fit',
  preparing: 'Drawing…',
  held: (changes: number) =>
    changes === 0
      ? 'The drawing is held still while you are in it.'
      : `Held still: ${counted(changes, 'change waits', 'changes wait')} until you leave the drawing.`,
  waitsFor: 'waits for',
  heldBy: 'held by',
  knot: 'deadlock',
  /** One of a knot: `x holds a and waits for b, held by y.` */
  knotTitle: (n: number, behind: number) =>
    `Deadlock of ${n}${behind === 0 ? '' : `; ${counted(behind, 'more waits', 'more wait')} behind`}`,
  member: { holds: 'holds', and: 'and waits for', heldBy: ', held by' },
  joined: (owner: string, sessions: number) =>
    `${counted(sessions, 'session', 'sessions')}, one by the owner that their entries name: ${owner}`,
  root: {
    heldBy: 'held by',
    nobody: 'nobody',
    /** Who they wait for in the end. */
    blocker: (n: number) =>
      n === 1 ? 'it is not seen to wait itself' : 'they are not seen to wait themselves',
    ways: {
      'free-slot': 'a slot is free: somebody is about to enter, or cannot',
      'entry-not-understood': 'the entry cannot be understood',
      'holder-in-doubt': 'a holder may be dead or cannot be judged',
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
    ghostsTake: (n: number) => (n === 1 ? 'takes a slot, nobody is there' : 'take a slot each, nobody there'),
    slots: (limit: number | null) => (limit === null ? 'limit unknown' : counted(limit, 'slot', 'slots')),
    lock: 'lock; its waiters are not visible',
    thing: 'semaphore',
  },
  empty: {
    none: 'Nobody is seen to wait.',
    noneText:
      'As soon as a session waits for a slot it is drawn here with those whom it waits for. Who waits for a plain lock is not visible in Consul.',
  },
};
