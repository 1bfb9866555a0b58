/** English: what the frame says at times: the help, what is read aloud, and what stands in place of a page. */
import { shell } from './shell';
import { capital, counted } from './words';

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
