/**
 * Finds the recorded sessions that have ended, where nothing else proves it (`ghost-rule.ts`). The watch's list is no
 * proof, because it may be older than the record, and omits sessions that the token may not read. So the watch asks for
 * each unlisted session once, and only where the token sees every session. An ended session does not come back, so the
 * answer stays true.
 */

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { runInSlices, type Steps } from '@/lib/domain/sliced-work';

const batchSize = 32;
const asksMax = 256;
const moreMs = 250;
/** The rest while the token may not see every session. Consul caches rights for this time. */
const blindMs = 30_000;

export interface EndedAsking {
  /** True when the token sees every session. False if unknown. */
  readonly seesAll: (signal: AbortSignal) => Promise<boolean>;
  /** Confirmed by a quorum. `kept`: hidden from this token. */
  readonly session: (id: string, signal: AbortSignal) => Promise<'there' | 'ended' | 'kept' | 'unknown'>;
}

/** Kept between looks. */
export interface EndedKnown {
  /** The answers by session: true if ended, false if hidden from the token. */
  readonly asked: Map<string, boolean>;
  /** Epoch milliseconds. */
  blindUntilMs: number;
}

export const newEndedKnown = (): EndedKnown => ({ asked: new Map(), blindUntilMs: 0 });

export interface Ended {
  readonly ids: ReadonlySet<string>;
  /** The instant to ask again, although Consul will not wake the watch; `null`: never. */
  readonly askAtMs: number | null;
}

const glance = 0.05;

/** The ids to ask for. Drops the ids that are no longer in question from `answers`. Yields, because the set may be long. */
function* openOf(unlisted: ReadonlySet<string>, answers: Map<string, boolean>): Steps<readonly string[]> {
  for (const id of answers.keys()) {
    if (!unlisted.has(id)) answers.delete(id);
    yield glance;
  }
  const open: string[] = [];
  for (const id of unlisted) {
    if (!answers.has(id)) open.push(id);
    if (open.length > asksMax) break;
    yield glance;
  }
  return open;
}

function* endedOf(answers: ReadonlyMap<string, boolean>): Steps<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (const [id, isEnded] of answers) {
    if (isEnded) ids.add(id);
    yield glance;
  }
  return ids;
}

/** The ended ones of `unlisted`, the ids in question. Updates `known`. */
export async function endedSessions(
  unlisted: ReadonlySet<string>,
  asking: EndedAsking,
  known: EndedKnown,
  { nowMs, signal }: { readonly nowMs: number; readonly signal: AbortSignal },
): Promise<Ended> {
  const { asked: answers } = known;
  const open = await runInSlices(openOf(unlisted, answers), yieldToEventLoop);
  const isBlind = () => nowMs < known.blindUntilMs;
  if (open.length > 0 && !isBlind() && !(await asking.seesAll(signal))) known.blindUntilMs = nowMs + blindMs;
  const now = isBlind() ? [] : open.slice(0, asksMax);
  for (let at = 0; at < now.length; at += batchSize)
    await Promise.all(
      now.slice(at, at + batchSize).map(async (id) => {
        const state = await asking.session(id, signal);
        if (state === 'unknown') known.blindUntilMs = nowMs + blindMs;
        // A live session will be listed, and then is no longer in question.
        else if (state !== 'there') answers.set(id, state === 'ended');
      }),
    );
  const ids = await runInSlices(endedOf(answers), yieldToEventLoop);
  if (open.length > 0 && isBlind()) return { ids, askAtMs: known.blindUntilMs };
  return { ids, askAtMs: open.length > now.length ? nowMs + moreMs : null };
}
