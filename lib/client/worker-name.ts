/** The name of the worker that follows the stream of one person, which says whose it is. */

const namePrefix = 'signalbox ';

/** By `identityKey`. */
export const workerName = (person: string): string => `${namePrefix}${person}`;

/** Whose stream a worker of this name follows; `null` for that of whoever asks. */
export const personOfWorker = (name: string): string | null =>
  name.startsWith(namePrefix) ? name.slice(namePrefix.length) : null;
