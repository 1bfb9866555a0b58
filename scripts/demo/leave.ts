/** The end of a demo process: on a signal, or after the end of its parent. */

import { setMaxListeners } from 'node:events';

/**
 * Aborts on SIGINT, SIGTERM and SIGHUP, and when standard input ends. A pipe from the parent process ends with it, even
 * when it is killed. A terminal never ends it.
 */
export function endOfDemo(): AbortSignal {
  const controller = new AbortController();
  // Every actor of this process listens, which is no leak.
  setMaxListeners(0, controller.signal);
  const leave = () => controller.abort(new Error('The demo ends.'));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, leave);
  process.stdin.on('end', leave).on('close', leave).on('error', leave).resume();
  // A closed output must not end the process before it has cleaned up.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  return controller.signal;
}
