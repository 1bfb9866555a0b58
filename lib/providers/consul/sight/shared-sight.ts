/** Cuts the stage for all tokens with the same rights, once per change. */

import type { World } from '@/lib/domain/model';
import type { Problem } from '@/lib/domain/problem';
import type { ProviderListener, SharedWatch } from '@/lib/domain/seam/provider';
import type { SourceState } from '@/lib/domain/source-state';
import type { Clock } from '@/lib/providers/consul/client/clock';
import { ConsulError } from '@/lib/providers/consul/client/errors';
import { timed } from './call-cost';
import { createProjection } from './project';
import { createRightsBook, type RightsClient } from './rights-book';
import type { Stage } from './server-world';
import type { ReviewTurns } from './turns';

export interface SharedSight {
  readonly members: number;
  /** Sends each listener the current state and every later change. */
  readonly watch: SharedWatch;
  /** The network of the first member. */
  readonly from: string;
  /** Lets its token ask questions. Returns the function that removes the member. */
  join(member: Member): () => void;
  /** Notifies all members that there is no room. */
  turnAway(): void;
  close(): void;
}

export interface Member {
  readonly asker: RightsClient;
  readonly from: () => string;
  readonly onTurnedAway: () => void;
  /** Called once, when the first answers are known. */
  readonly onKnown: () => void;
  readonly onBug: (error: unknown) => void;
}

interface Listening {
  readonly listener: ProviderListener;
  readonly onBug: (error: unknown) => void;
}

const retryMs = 500;
/**
 * The longest time without a repeated answer before rights count as unknown. Outages of the server's own watch do not
 * count.
 */
export const unaskedMaxMs = 10_000;
/** A slower pace of reviews shows on screen. */
const usualMaxMs = 5_000;

const isSameBeside = (a: World, b: World) =>
  a.locks === b.locks && a.semaphores === b.semaphores && a.sessions === b.sessions && a.scope === b.scope;

/** The problem without the subject of its call, which may contain key names. */
const told = (source: SourceState): SourceState => {
  const { problem } = source;
  if (problem === null) return source;
  const { code, why } = problem;
  // An unknown server token signs out no other token.
  if (code === 'signed-out') return { ...source, problem: { code: 'unavailable' } };
  return { ...source, problem: why === undefined ? { code } : { code, why } };
};

/** The pace to show, rounded up because it changes with each review. `null`: the usual pace. */
const slowOf = (paceMs: number) =>
  paceMs <= usualMaxMs ? null : Math.ceil(paceMs / usualMaxMs) * usualMaxMs;

export function createSharedSight({
  stage,
  clock,
  turns,
}: {
  stage: Stage;
  clock: Clock;
  turns: ReviewTurns;
}): SharedSight {
  const book = createRightsBook();
  const project = createProjection();
  const members = new Set<Member>();
  const listening = new Set<Listening>();
  const end = new AbortController();
  let world: World | null = null;
  let asOfMs = 0;
  /** Start of the last complete review, in epoch milliseconds. */
  let reviewedMs = clock.now();
  /** Start of the first failed review after the last answered one. */
  let failingSinceMs: number | null = null;
  /** Time between the starts of the last two answered reviews; `null`: at most one so far. */
  let apartMs: number | null = null;
  let paceMs = 0;
  /** The instant at which the server's own watch came back. Earlier time does not count for the pace. */
  let backMs = 0;
  let isBack = true;
  let toldSlowMs: number | null = null;
  let shownGeneration = -1;
  /** The reason why rights are unknown. */
  let blind: Problem | null = null;
  let learning = false;
  let wanted = false;

  const tell = (say: (listener: ProviderListener) => void | Promise<void>) => {
    for (const { listener, onBug } of [...listening]) {
      try {
        void say(listener)?.catch(onBug);
      } catch (error) {
        // One listener's bug must not end another view, or the server's watch.
        onBug(error);
      }
    }
  };
  const isLive = () => stage.source?.state === 'live';
  /** The pace now. An overdue review counts before it comes. */
  const slowNow = () => {
    const sinceMs = clock.now() - Math.max(reviewedMs, backMs);
    // An outage stops the questions, and shows as such.
    return slowOf(world !== null && isLive() && sinceMs > unaskedMaxMs ? Math.max(paceMs, sinceMs) : paceMs);
  };
  const sourceNow = (): SourceState | null => {
    if (stage.source === null) return null;
    const source = told(stage.source);
    if (blind !== null) return { ...source, state: 'stale', problem: blind };
    toldSlowMs = slowNow();
    if (toldSlowMs !== null) return { ...source, rightsEveryMs: toldSlowMs };
    // Nothing is visible yet, but Consul may not be empty.
    return world === null && source.state === 'live' ? { ...source, state: 'catching-up' } : source;
  };
  const tellSource = () => {
    const source = sourceNow();
    if (source !== null) tell((one) => one.source(source));
  };
  const show = (atMs = stage.scene?.asOfMs ?? 0) => {
    const { scene } = stage;
    if (scene === null) return;
    shownGeneration = book.generation;
    const [was, next] = [world, project(scene.world, book.sightOf(scene))];
    // A hidden change must not reveal its time.
    if (next === was) return;
    world = next;
    asOfMs = atMs;
    const { renewals } = next;
    if (was !== null && renewals !== undefined && isSameBeside(was, next))
      tell((one) => one.renewals?.(renewals, atMs));
    else tell((one) => one.world(next, atMs));
    if (was !== null) return;
    tellSource();
    for (const { onKnown } of [...members]) onKnown();
  };

  const asker = (): RightsClient | null => members.values().next().value?.asker ?? null;
  /**
   * Forgets all answers after `unaskedMaxMs` without one. During an outage the last known state stays, marked as old.
   */
  const goBlind = (why: Problem) => {
    if (blind !== null || !isLive() || failingSinceMs === null) return;
    if (clock.now() - failingSinceMs <= unaskedMaxMs) return;
    blind = why.code === 'signed-out' ? { code: 'unavailable' } : why;
    book.forget();
    show();
    tellSource();
    soon();
  };
  /** Asks the oldest member's token. Resolves to `null` without an answer. */
  const asking = async <T>(
    ask: (asker: RightsClient) => Promise<T>,
    onFailed: () => void = () => {},
  ): Promise<T | null> => {
    const one = asker();
    if (one === null) return null;
    try {
      return await ask(one);
    } catch (error) {
      if (end.signal.aborted) return null;
      if (!(error instanceof ConsulError)) throw error;
      // This member's token may be at fault, so the next question uses another.
      const mine = [...members].find(({ asker: of }) => of === one);
      if (mine !== undefined && members.delete(mine)) members.add(mine);
      onFailed();
      goBlind(error.problem);
      return null;
    } finally {
      // Answers that arrived before the failure count.
      if (world !== null && book.generation !== shownGeneration && !end.signal.aborted) show();
    }
  };

  /** Asks every open question, one turn at a time. Rows without answers stay hidden. */
  const learn = async () => {
    wanted = true;
    if (learning) return;
    learning = true;
    try {
      while (wanted && !end.signal.aborted && members.size > 0) {
        wanted = false;
        const { scene } = stage;
        if (scene === null) break;
        const beganMs = clock.now();
        const learned = await asking((one) => book.learn(scene, one, end.signal));
        if (learned === 'all') {
          const wasBlind = blind !== null;
          if (wasBlind || world === null) reviewedMs = beganMs;
          if (wasBlind) failingSinceMs = null;
          blind = null;
          show();
          if (wasBlind) tellSource();
          continue;
        }
        wanted = true;
        if (learned === null) await clock.pause(retryMs, end.signal).catch(() => {});
      }
    } finally {
      learning = false;
    }
  };
  const tellPace = () => {
    if (slowNow() !== toldSlowMs && blind === null) tellSource();
  };
  /** Takes in the pace. One slow review does not change it. */
  const paced = (nowMs: number) => {
    const nowApartMs = nowMs - Math.max(reviewedMs, backMs);
    // The time after a failed review does not measure the pace.
    if (failingSinceMs === null) {
      paceMs = Math.min(apartMs ?? (nowApartMs > unaskedMaxMs ? nowApartMs : 0), nowApartMs);
      apartMs = nowApartMs;
    }
    failingSinceMs = null;
    reviewedMs = nowMs;
    tellPace();
  };
  const review = async (): Promise<number | null> => {
    const { scene } = stage;
    if (end.signal.aborted || scene === null || world === null || blind !== null) return null;
    const beganMs = clock.now();
    let costMs = () => 0;
    const isAnswered = await asking(
      async (one) => {
        const asker = timed(one, clock);
        costMs = asker.costMs;
        await book.review(() => stage.scene ?? scene, asker.asker, end.signal);
        return true;
      },
      () => {
        failingSinceMs = isLive() ? (failingSinceMs ?? beganMs) : null;
      },
    );
    if (isAnswered === null) return null;
    paced(beganMs);
    return costMs();
  };

  const fail = (error: unknown) => {
    for (const { onBug } of [...members]) onBug(error);
  };
  const soon = () => void learn().catch(fail);

  const unfollow = stage.follow({
    scene: () => {
      // The known parts show at once after the first answers.
      if (world !== null) show();
      soon();
    },
    renewals: (atMs) => {
      if (world !== null) show(atMs);
    },
    source: () => {
      if (isLive() && !isBack) backMs = clock.now();
      isBack = isLive();
      tellSource();
    },
    contact: (atMs) => {
      tell((one) => one.contact?.(atMs));
      tellPace();
    },
  });
  /** The network of the oldest member, which brought the sight. */
  const from = () => members.values().next().value?.from() ?? '';
  const leaveTurns = turns.join({
    from,
    take: () =>
      review().catch((error: unknown) => {
        fail(error);
        return null;
      }),
  });

  return {
    get members() {
      return members.size;
    },
    get from() {
      return from();
    },
    turnAway: () => {
      for (const { onTurnedAway } of [...members]) onTurnedAway();
    },
    watch: {
      id: 'consul',
      watch: (listener, signal) =>
        new Promise<void>((resolve, reject) => {
          const until = AbortSignal.any([signal, end.signal]);
          const leave = () => {
            listening.delete(one);
            until.removeEventListener('abort', leave);
            resolve();
          };
          const one = {
            listener,
            onBug: (error: unknown) => {
              reject(error);
              leave();
            },
          };
          if (until.aborted) return resolve();
          until.addEventListener('abort', leave);
          listening.add(one);
          if (world !== null) listener.world(world, asOfMs);
          const source = sourceNow();
          if (source !== null) listener.source(source);
        }),
    },
    join: (member) => {
      members.add(member);
      if (world !== null) member.onKnown();
      soon();
      return () => void members.delete(member);
    },
    close: () => {
      unfollow();
      leaveTurns();
      end.abort();
    },
  };
}
