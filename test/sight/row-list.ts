/** Rows of the truth table that are looked at with narrow rights, each with what one reader may not read of it. */
import { type Situation, semaphoreAt, situation } from '@/quality/truth/situation';
import { situations } from '@/quality/truth/table';
import type { OtherFindings } from './narrow';

/** The hidden part of a row: one key, or all keys of its contenders. */
export type Hole = 'entry' | 'holder' | 'waiter' | 'leftover' | 'contenders' | 'record';

export interface Row extends OtherFindings {
  readonly title: string;
  /** The unreadable part. Differences from other readers are in `lost` and `milder`. */
  readonly hole: Hole;
  /** Its sessions have to be on the nodes where the table puts them. */
  readonly isPlaced?: true;
}

/** In the order in which they are looked at: those with a node that goes down, or time to pass, come last. */
export const rows: readonly Row[] = [
  { title: 'a lock whose process is alive (consul lock -n=1)', hole: 'entry' },
  { title: 'a session without TTL and without any check', hole: 'entry' },
  { title: 'lock-delay 0, held: two may work at once after its end', hole: 'entry' },
  { title: 'a lock that was free when Signalbox started', hole: 'entry' },
  { title: 'a lock under its lock-delay, the key kept', hole: 'entry' },
  { title: 'a lock under its lock-delay, the key deleted with its session', hole: 'entry' },
  { title: 'a lock given back by its holder', hole: 'entry' },
  { title: 'a check of the session turns critical', hole: 'entry', isPlaced: true },
  { title: 'Terraform: a run holds its state', hole: 'record' },
  { title: 'a plain acquire on any key', hole: 'entry' },
  {
    title: 'immortal and node-bound holders while another waits',
    hole: 'waiter',
    milder: ['endless-holder'],
  },
  { title: 'a ghost in the map layout: its session has ended and nobody prunes', hole: 'holder' },
  { title: 'a ghost keeps a waiter out', hole: 'waiter', milder: ['ghost-slots'] },
  { title: 'a ghost whose session lives and holds something else', hole: 'contenders' },
  {
    title: 'a live session recorded by a program with rules of its own, by which no key is locked',
    hole: 'contenders',
  },
  { title: 'more holders than the limit, each with its entry', hole: 'holder' },
  { title: 'a semaphore of consul lock: two hold, one waits', hole: 'waiter' },
  { title: 'a semaphore that nobody holds and nobody wants', hole: 'contenders' },
  { title: 'a contender entry without a session', hole: 'leftover' },
  { title: 'a waiter whose session has no TTL and no check', hole: 'waiter' },
  { title: 'an entry that one session locks under the name of another', hole: 'waiter' },
  { title: 'two sessions each hold what the other waits for', hole: 'waiter', lost: ['deadlock'] },
  { title: 'a .lock that is malformed: no JSON', hole: 'contenders' },
  {
    title: 'a .lock that is malformed, and a session contends',
    hole: 'waiter',
    milder: ['unreadable-entry'],
  },
  { title: 'a .lock that is malformed: a limit of 0', hole: 'contenders' },
  { title: 'wrong flags: a careless write set them to 0', hole: 'holder' },
  { title: 'a plain lock where the coordination entry should be', hole: 'waiter' },
  { title: 'no .lock, and sessions contend', hole: 'waiter' },
  {
    title: 'the Java article’s semaphore, full with a waiter',
    hole: 'waiter',
    milder: ['endless-holder'],
  },
  { title: 'a holder whose renewals were seen and have stopped for more than a TTL', hole: 'entry' },
  { title: 'the node is down under a session that nothing ends', hole: 'entry', isPlaced: true },
  {
    title: 'a slot is held from a node that is down while another waits',
    hole: 'waiter',
    isPlaced: true,
    milder: ['suspect-holder'],
  },
];

/** Not in the table: here a hidden client may be there. */
const malformedAndWanted = situation({
  title: 'a .lock that is malformed, and a session contends',
  knows: 'bytes that no client can decode, and an entry',
  says: 'what is wrong with it, and that somebody contends',
  mustNot: 'that nobody is there',
  make: async (stage) => {
    const prefix = 'truth/bad/wanted';
    const id = await stage.contender(prefix, { name: 'puzzled', ttlMs: 600_000 });
    await stage.entry(prefix, 'Limit=3;Holders=…');
    return { subject: semaphoreAt(prefix), id };
  },
  api: ({ id }) => ({ row: { limit: null }, verdicts: { [id]: 'alive' }, findings: ['unreadable-entry'] }),
  screen: () => ({ has: [] }),
  never: () => ({ rows: [{ recorded: 0 }, { effective: 0 }], verdicts: ['ghost'] }),
});

export const situationOf = (title: string): Situation => {
  const found = [...situations, malformedAndWanted].find((one) => one.title === title);
  if (found === undefined) throw new Error(`The table has no row ${title}.`);
  return found;
};
