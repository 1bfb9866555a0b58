/**
 * The sign-ins that this server has seen. A signed-out person stays signed out (`ended-sign-ins.ts`), and activity
 * prolongs the open streams of the same browser. Activity is in memory only: after a restart, and on another replica,
 * the times in the cookie count.
 *
 *   open --no activity for `idleMs`--> ended (idle)      --absolute end--> ended (expired)
 *     '--signed out------------------> ended (elsewhere)
 *
 * Where servers share the sign-ins (`alone: false`), another one may have seen activity or a sign-out: a stream that
 * looks idle here, and every stream from time to time, must ask again with the browser's present cookie.
 */
import type { Problem } from '@/lib/domain/problem';
import type { Why } from '@/lib/domain/refusal';
import type { EndedSignIns } from './ended-sign-ins';
import type { SignIn } from './seal';

export type Times = Pick<SignIn, 'id' | 'endsAtMs' | 'idleEndsAtMs'>;

export interface SignIns {
  /** `null`: it has not ended. */
  ended(signIn: Times): Why | null;
  /** The cookie's, or later after activity here. */
  idleEndsAtMs(signIn: Times): number;
  touch<T extends Times>(signIn: T): T;
  /** Ends the sign-in at once here, and in the store when this resolves, unless the store is away. */
  end(signIn: Times): Promise<void>;
  /** Resolves when earlier sign-outs are known, or cannot be read now. */
  ready(): Promise<void>;
  /** Calls `onEnd` once when the sign-in ends; `null`: the client must ask again. The returned function stops this. */
  follow(signIn: Times, onEnd: Tell): () => void;
  close(): Promise<void>;
}

export type Tell = (problem: Problem | null) => void;

interface KnownSignIn {
  endsAtMs: number;
  idleEndsAtMs: number;
  /** The instants at which each must ask again, in epoch milliseconds. */
  readonly followers: Map<Tell, number>;
}

const sweepMs = 1_000;
/** The longest time until another server's sign-out shows here. */
const againMs = 5 * 60_000;
/** Beyond this the oldest without followers are forgotten. */
const knownMax = 10_000;
const whyOf = (code: 'signed-out-elsewhere' | 'signed-out-expired' | 'signed-out-idle'): Why => ({
  code,
  facts: {},
});

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
  const known = new Map<string, KnownSignIn>();

  const why = ({ id, endsAtMs, idleEndsAtMs }: Times): Why | null => {
    if (endedSignIns.has(id)) return whyOf('signed-out-elsewhere');
    if (now() >= endsAtMs) return whyOf('signed-out-expired');
    return now() >= idleEndsAtMs ? whyOf('signed-out-idle') : null;
  };
  const of = ({ id, endsAtMs, idleEndsAtMs }: Times): KnownSignIn => {
    const one = known.get(id) ?? { endsAtMs, idleEndsAtMs, followers: new Map() };
    one.idleEndsAtMs = Math.max(one.idleEndsAtMs, idleEndsAtMs);
    known.set(id, one);
    return one;
  };
  const sweep = () => {
    for (const [id, one] of known) {
      const ended = why({ id, ...one });
      const certain = alone || ended?.code !== 'signed-out-idle';
      for (const [onEnd, askAgainAtMs] of [...one.followers]) {
        // The clock was set back.
        const asksAgain = askAgainAtMs - now();
        if (
          ended === null &&
          asksAgain > 0 &&
          (asksAgain <= againMs || asksAgain === Number.POSITIVE_INFINITY)
        )
          continue;
        one.followers.delete(onEnd);
        onEnd(ended !== null && certain ? { code: 'signed-out', why: ended } : null);
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
      const stored = endedSignIns.add(id, endsAtMs);
      sweep();
      return stored;
    },
    ready: () => endedSignIns.ready(),
    follow: (signIn, onEnd) => {
      const { followers } = of(signIn);
      followers.set(onEnd, alone ? Number.POSITIVE_INFINITY : now() + againMs);
      return () => followers.delete(onEnd);
    },
    close: () => {
      clearInterval(timer);
      return endedSignIns.close();
    },
  };
}
