/** What is on the stage, cut for all tokens of the same rights: once for each change, whoever and however many look. */

import type { World } from '@/lib/domain/model';
import type { Problem } from '@/lib/domain/problem';
import type { ProviderListener, SharedWatch } from '@/lib/domain/seam/provider';
import type { Source } from '@/lib/domain/source';
import type { Clock } from '@/lib/providers/consul/client/clock';
import { ConsulError } from '@/lib/providers/consul/client/errors';
import { createProjection } from './project';
import { type Asker, createRightsBook } from './rights-book';
import type { Stage } from './stage';
import { timed } from './timed';
import type { Turns } from './turns';

export interface SharedSight {
  readonly members: number;
  /** Tells whoever listens what there is, and every change from then on. */
  readonly watch: SharedWatch;
  /** The network from which the first of its members looks. */
  readonly from: string;
  /** From now on its rights are asked with this one's token as well. Returns what ends that. */
  join(member: Member): () => void;
  /** Tells all members that there is no room for it. */
  turnAway(): void;
  close(): void;
}

/** A token of these rights. */
export interface Member {
  readonly asker: Asker;
  readonly from: () => string;
  /** There is no room for this sight any more. */
  readonly onTurnedAway: () => void;
  /** Something is known. Called once. */
  readonly onKnown: () => void;
  readonly onBug: (error: unknown) => void;
}

interface Listening {
  readonly listener: ProviderListener;
  readonly onBug: (error: unknown) => void;
}

const retryMs = 500;
/**
 * What could not be asked again for so long since the first try, while the server itself is told everything, is not known any more. Where
 * there are so many rights to ask about that each has its turn less often, that is the second turn that fails.
 */
export const unaskedMaxMs = 10_000;
/** Rights that are asked again less often are said to be. */
const usualMaxMs = 5_000;

const isSameBeside = (a: World, b: World) =>
  a.locks === b.locks && a.semaphores === b.semaphores && a.sessions === b.sessions && a.scope === b.scope;

/** Without what a call was about: names of keys may be in it. */
const told = (source: Source): Source => {
  const { problem } = source;
  if (problem === null) return source;
  const { code, why } = problem;
  // That Consul does not know the server's token signs nobody else out.
  if (code === 'signed-out') return { ...source, problem: { code: 'unavailable' } };
  return { ...source, problem: why === undefined ? { code } : { code, why } };
};

/** In steps, so that it is not another one with each review. `null`: as often as usual. */
const slowOf = (paceMs: number) =>
  paceMs <= usualMaxMs ? null : Math.ceil(paceMs / usualMaxMs) * usualMaxMs;

export function createSharedSight({
  stage,
  clock,
  turns,
}: {
  stage: Stage;
  clock: Clock;
  turns: Turns;
}): SharedSight {
  const book = createRightsBook();
  const project = createProjection();
  const members = new Set<Member>();
  const listening = new Set<Listening>();
  const end = new AbortController();
  let world: World | null = null;
  let asOfMs = 0;
  /** When the last complete review began, in epoch milliseconds. */
  let reviewedMs = clock.now();
  /** When the first of the reviews failed that were not answered since then. */
  let failingSinceMs: number | null = null;
  /** How long after one another the last two reviews began that were answered; `null`: there was one at most. */
  let apartMs: number | null = null;
  let paceMs = 0;
  /** When the server was told everything again. What could not be asked before is no pace. */
  let backMs = 0;
  let isBack = true;
  let toldSlowMs: number | null = null;
  let shownGeneration = -1;
  /** Why they are not known any more. */
  let blind: Problem | null = null;
  let learning = false;
  let wanted = false;

  const tell = (say: (listener: ProviderListener) => void | Promise<void>) => {
    for (const { listener, onBug } of [...listening]) {
      try {
        void say(listener)?.catch(onBug);
      } catch (error) {
        // Its own: nobody else's view, and not the server's watch, may end by it.
        onBug(error);
      }
    }
  };
  const isLive = () => stage.source?.state === 'live';
  /** A turn that is long in coming is told before it has come. */
  const slowNow = () => {
    const sinceMs = clock.now() - Math.max(reviewedMs, backMs);
    // During an outage nothing is asked, and the outage is said.
    return slowOf(world !== null && isLive() && sinceMs > unaskedMaxMs ? Math.max(paceMs, sinceMs) : paceMs);
  };
  const sourceNow = (): Source | null => {
    if (stage.source === null) return null;
    const source = told(stage.source);
    if (blind !== null) return { ...source, state: 'stale', problem: blind };
    toldSlowMs = slowNow();
    if (toldSlowMs !== null) return { ...source, rightsEveryMs: toldSlowMs };
    // Nothing is seen before the first answer, which does not mean that there is nothing.
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
    // Not even the time of a change is told that is not for these eyes.
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

  /** The one that has been there for longest. */
  const asker = (): Asker | null => members.values().next().value?.asker ?? null;
  /** During an outage nothing new is shown either: what was known then is what is shown as old. */
  const goBlind = (why: Problem) => {
    if (blind !== null || !isLive() || failingSinceMs === null) return;
    if (clock.now() - failingSinceMs <= unaskedMaxMs) return;
    blind = why.code === 'signed-out' ? { code: 'unavailable' } : why;
    book.forget();
    show();
    tellSource();
    soon();
  };
  /** What `ask` resolves with; `null`: it could not be asked. */
  const asking = async <T>(
    ask: (asker: Asker) => Promise<T>,
    onFailed: () => void = () => {},
  ): Promise<T | null> => {
    const one = asker();
    if (one === null) return null;
    try {
      return await ask(one);
    } catch (error) {
      if (end.signal.aborted) return null;
      if (!(error instanceof ConsulError)) throw error;
      // It may be this one's token alone: the next question goes out with another's.
      const mine = [...members].find(({ asker: of }) => of === one);
      if (mine !== undefined && members.delete(mine)) members.add(mine);
      onFailed();
      goBlind(error.problem);
      return null;
    } finally {
      // Also what was answered before the rest failed.
      if (world !== null && book.generation !== shownGeneration && !end.signal.aborted) show();
    }
  };

  /** Asks about what is new, one turn at a time. What is not answered is not shown. */
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
  /** One hiccup makes no other pace. */
  const paced = (nowMs: number) => {
    const nowApartMs = nowMs - Math.max(reviewedMs, backMs);
    // From one that failed to the next says nothing of the pace.
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
    // Before the first answers there is nothing to review, and after all was forgotten neither.
    if (end.signal.aborted || scene === null || world === null || blind !== null) return null;
    const beganMs = clock.now();
    let costMs = () => 0;
    const isAnswered = await asking(
      async (one) => {
        const asker = timed(one, clock);
        costMs = asker.costMs;
        await book.review(scene, asker.asker, end.signal);
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
      // What is known already is shown at once, once anything is.
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
  /** The one that has been there for longest brought it, as long as it looks. */
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
