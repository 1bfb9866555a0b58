/**
 * Shows a source to all viewers only while it asks for no credentials, because people sign in to another one. With
 * `access` set, it is shown while that other one asks, so that no unknown person looks.
 *
 *   not known --shown--> shown --not shown--> not shown
 *
 * An outage of either decides nothing. A shown source stays shown, with data as old as it is.
 */
import type { AccessControl } from '@/lib/domain/identity';
import type { World } from '@/lib/domain/model';
import type { Problem } from '@/lib/domain/problem';
import type { Backend } from '@/lib/domain/seam/backend';
import type { Provider } from '@/lib/domain/seam/provider';
import type { SourceState } from '@/lib/domain/source-state';
import { within } from '@/lib/server/process/deadline';

export const askMs = 5_000;
export const lookMs = { known: 2_000, unknown: 500 } as const;

/** The world of a source that is not shown. */
export const nothing: World = { locks: [], semaphores: [], sessions: [], scope: 'part' };

/** The problem is not `signed-out`, which would end the sign-in of its reader. */
const second: Problem = { code: 'forbidden', why: { code: 'second-sign-in', facts: {} } };

type Showing = 'shown' | 'hidden' | 'unknown';

/** Resolves after `ms`, or once the signal aborts. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener('abort', finish, { once: true });
    if (signal.aborted) finish();
  });
}

export interface Gate {
  readonly watch: Provider['watch'];
  /** The reason why this source refuses questions and actions now; `null`: it allows them. */
  refused(signal: AbortSignal): Promise<Problem | null>;
}

/**
 * `unread`: the source before anything was read. `watch`: with the server's own credential. `signIn`: whether people
 * sign in now, where that is enough; `null`: it is not.
 */
export function createGate({
  backend,
  watch,
  unread,
  signIn,
}: {
  readonly backend: Pick<Backend, 'accessControl'>;
  readonly watch: Provider['watch'];
  readonly unread: SourceState;
  readonly signIn: ((signal: AbortSignal) => Promise<AccessControl>) | null;
}): Gate {
  const ask = async (signal: AbortSignal): Promise<Showing> => {
    const control = await backend.accessControl(within(askMs, signal));
    if (control !== 'on') return control === 'off' ? 'shown' : 'unknown';
    const accessControl = signIn === null ? 'off' : await signIn(within(askMs, signal));
    return accessControl === 'unknown' ? 'unknown' : accessControl === 'on' ? 'shown' : 'hidden';
  };
  return {
    watch: async (listener, signal) => {
      let shown: { readonly end: AbortController; readonly ended: Promise<void> } | null = null;
      // A bug of the watch ends this one, too. Frozen, its last state would count as live.
      const broken = new AbortController();
      let bug: unknown;
      const untilBroken = AbortSignal.any([signal, broken.signal]);
      const hide = async () => {
        shown?.end.abort();
        await shown?.ended;
        shown = null;
      };
      listener.source(unread);
      while (!untilBroken.aborted) {
        const showing = await ask(untilBroken);
        if (untilBroken.aborted) break;
        if (showing === 'hidden') {
          await hide();
          listener.source({ ...unread, state: 'down', problem: second });
          listener.world(nothing, Date.now());
        } else if (showing === 'shown' && shown === null) {
          const end = new AbortController();
          const ended = watch(listener, AbortSignal.any([signal, end.signal])).catch((error: unknown) => {
            bug = error;
            broken.abort();
          });
          shown = { end, ended };
        }
        const restMs = showing === 'unknown' ? lookMs.unknown : lookMs.known;
        await sleep(restMs, untilBroken);
      }
      await hide();
      if (broken.signal.aborted) throw bug;
    },
    refused: async (signal) => ((await ask(signal)) === 'hidden' ? second : null),
  };
}
