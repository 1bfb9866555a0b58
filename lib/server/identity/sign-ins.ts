/**
 * The sign-ins that this server has seen, by their random ids: who signed out stays signed out (`ended-sign-ins.ts` keeps
 * that), and a page that was touched prolongs the streams that the same browser has open. Touches are in memory only: after
 * a restart, and on another replica, the times in the cookie count.
 *
 *   open --nothing done for `idleMs`--> ended (idle)       --its end whatever is done--> ended (expired)
 *     '--signed out------------------> ended (elsewhere)
 *
 * Where several servers share the sign-ins (`alone: false`) a touch or a sign-out may have gone to another one. So what looks
 * idle here is only sent to ask again, with the cookie that the browser has by then, and so is everybody now and then.
 */
import type { Problem } from '@/lib/domain/problem';
import type { Why } from '@/lib/domain/refusal';
import type { EndedSignIns } from './ended-sign-ins';
import type { SignIn } from './seal';

export type Times = Pick<SignIn, 'id' | 'endsAtMs' | 'idleEndsAtMs'>;

export interface SignIns {
  /** Why it has ended; `null`: it has not. */
  ended(signIn: Times): Why | null;
  /** When it ends if nothing is done: what the cookie says, or later where it was touched since. */
  idleEndsAtMs(signIn: Times): number;
  /** Something was done. Returns the new times. */
  touch<T extends Times>(signIn: T): T;
  /** They signed out: at once here, and in the store when this resolves, as far as that can be reached. */
  end(signIn: Times): Promise<void>;
  /** Resolves when it is known who signed out before the start, or that this cannot be found out now. */
  ready(): Promise<void>;
  /** Calls `tell` once, when it ends; with `null` when it is to be asked again. Call what is returned to leave. */
  follow(signIn: Times, tell: Tell): () => void;
  close(): Promise<void>;
}

export type Tell = (problem: Problem | null) => void;

interface Known {
  endsAtMs: number;
  idleEndsAtMs: number;
  /** And when each is sent to ask again, in epoch milliseconds. */
  readonly followers: Map<Tell, number>;
}

const sweepMs = 1_000;
/** So long another server's sign-out may take to show here. Asking again costs the patches of a moment. */
const againMs = 5 * 60_000;
/** Beyond so many the oldest are forgotten, but for those that are followed. */
const knownMax = 10_000;
const says = (code: 'signed-out-elsewhere' | 'signed-out-expired' | 'signed-out-idle'): Why => ({
  code,
  facts: {},
});

/** `alone`: no other server knows of these sign-ins. */
export function createSignIns({
  now,
  idleMs,
  endedSignIns,
  alone = true,
}: {
  now: () => number;
  idleMs: number;
  endedSignIns: EndedSignIns;
  alone?: boolean;
}): SignIns {
  const known = new Map<string, Known>();

  const why = ({ id, endsAtMs, idleEndsAtMs }: Times): Why | null => {
    if (endedSignIns.has(id)) return says('signed-out-elsewhere');
    if (now() >= endsAtMs) return says('signed-out-expired');
    return now() >= idleEndsAtMs ? says('signed-out-idle') : null;
  };
  const of = ({ id, endsAtMs, idleEndsAtMs }: Times): Known => {
    const one = known.get(id) ?? { endsAtMs, idleEndsAtMs, followers: new Map() };
    one.idleEndsAtMs = Math.max(one.idleEndsAtMs, idleEndsAtMs);
    known.set(id, one);
    return one;
  };
  const sweep = () => {
    for (const [id, one] of known) {
      const ended = why({ id, ...one });
      const certain = alone || ended?.code !== 'signed-out-idle';
      for (const [tell, askAgainAtMs] of [...one.followers]) {
        // Further off than it ever is: the clock was set back.
        const asksAgain = askAgainAtMs - now();
        if (
          ended === null &&
          asksAgain > 0 &&
          (asksAgain <= againMs || asksAgain === Number.POSITIVE_INFINITY)
        )
          continue;
        one.followers.delete(tell);
        tell(ended !== null && certain ? { code: 'signed-out', why: ended } : null);
      }
      if (now() >= one.endsAtMs || (known.size > knownMax && one.followers.size === 0)) known.delete(id);
    }
  };
  const timer = setInterval(sweep, sweepMs);
  timer.unref();

  const idleEndsAtMs = (signIn: Times) =>
    Math.max(signIn.idleEndsAtMs, known.get(signIn.id)?.idleEndsAtMs ?? 0);
  return {
    ended: (signIn) => why({ ...signIn, idleEndsAtMs: idleEndsAtMs(signIn) }),
    idleEndsAtMs,
    touch: (signIn) => {
      const one = of(signIn);
      one.idleEndsAtMs = Math.min(one.endsAtMs, Math.max(one.idleEndsAtMs, now() + idleMs));
      return { ...signIn, idleEndsAtMs: one.idleEndsAtMs };
    },
    end: ({ id, endsAtMs }) => {
      const kept = endedSignIns.add(id, endsAtMs);
      sweep();
      return kept;
    },
    ready: () => endedSignIns.ready(),
    follow: (signIn, tell) => {
      const { followers } = of(signIn);
      followers.set(tell, alone ? Number.POSITIVE_INFINITY : now() + againMs);
      return () => followers.delete(tell);
    },
    close: () => {
      clearInterval(timer);
      return endedSignIns.close();
    },
  };
}
