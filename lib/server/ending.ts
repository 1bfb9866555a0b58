/**
 * The end of the process, in order. Next ends it as soon as its last connection is closed, whatever is still to be
 * written; an action whose viewer has left has no connection. So the exit waits for us.
 */

/** What is used of `process`. */
type Ending = Pick<NodeJS.Process, 'once' | 'exit'>;

const signals = ['SIGTERM', 'SIGINT'] as const;

/** Calls `close` once, at the first signal to end, and holds every exit from then on until that has settled. */
export function endInOrder(close: (signal: string) => Promise<void>, process: Ending): void {
  let closed: Promise<void> | null = null;
  const end = (signal: string) => {
    if (closed !== null) return;
    closed = close(signal);
    const exit = process.exit.bind(process);
    process.exit = ((code) => {
      void closed?.finally(() => exit(code));
    }) as typeof process.exit;
  };
  for (const signal of signals) process.once(signal, () => end(signal));
}
