/** The name of a worker says whose stream it follows. */

const namePrefix = 'signalbox ';

/** A name by `identityKey`. */
export const workerName = (person: string): string => `${namePrefix}${person}`;

/** `null` for an unnamed one. */
export const personOfWorker = (name: string): string | null =>
  name.startsWith(namePrefix) ? name.slice(namePrefix.length) : null;
