/** English: what is said when this page has lost Signalbox, and around whatever is said of an outage. */
import type { OutageText } from './outage';

export const lost: OutageText = {
  short: 'disconnected',
  title: 'This page has lost its connection to Signalbox.',
  means: 'Nothing is known of Consul from here. Locks in Consul are not affected.',
  next: 'It reconnects by itself. If it does not, see whether the Signalbox server runs, and whether this machine reaches it.',
};

export const around = {
  /** Between two sentences. */
  gap: ' ',
  /** What still works, and how old the view is. */
  shown: (age: string | null) =>
    `You see the last known state${age === null ? '' : `, ${age} old`}: searching and reading work, actions are off.`,
  nothingShown: 'Nothing has been read yet; this page fills by itself.',
  restored: (at: string) =>
    `Consul was put back to an earlier state at ${at}. A program may still work on a lock that it no longer holds here.`,
  origin: (origin: string) => `Signalbox reads ${origin}.`,
  more: 'What it means, and what to do',
};
