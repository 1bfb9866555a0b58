/**
 * Finds which sessions have ended, of those that are recorded where nothing else tells (`ghost-rule.ts`) and are not listed.
 * The list of a watch is no proof: it may be older than the record, and may leave out what the token may not read. So each is
 * asked for once, after its record has come in, and only where the token sees every session. One that has ended does not
 * come back, so that is remembered.
 */

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { inSlices, type Steps } from '@/lib/domain/steps';

/** Sessions asked for at a time, and in one look. */
const batchSize = 32;
const asksMax = 256;
/** When the rest of them is asked for. */
const moreMs = 250;
/** Where the token does not see every session, or nobody can tell: so long nothing is asked again. Consul keeps rights as long. */
const blindMs = 30_000;

export interface EndedAsking {
  /** Whether the token sees every session there is; false where that cannot be told. */
  readonly seesAll: (signal: AbortSignal) => Promise<boolean>;
  /** To a quorum's knowledge. `kept`: from this token. */
  readonly session: (id: string, signal: AbortSignal) => Promise<'there' | 'ended' | 'kept' | 'unknown'>;
}

/** What is remembered from look to look. */
export interface EndedKnown {
  /** Recorded, not listed, and whether it has ended; false for one that is kept from the token. */
  readonly asked: Map<string, boolean>;
  /** Epoch milliseconds. */
  blindUntilMs: number;
}

export const newEndedKnown = (): EndedKnown => ({ asked: new Map(), blindUntilMs: 0 });

export interface Ended {
  readonly ids: ReadonlySet<string>;
  /** When to ask again, although Consul will say nothing; `null`: never. */
  readonly askAtMs: number | null;
}

/** One that is only looked at is a small part of one that is judged. */
const glance = 0.05;

/** Of a set that may be long. Forgets in `asked` who is in question no more. */
function* openOf(unlisted: ReadonlySet<string>, asked: Map<string, boolean>): Steps<readonly string[]> {
  for (const id of asked.keys()) {
    if (!unlisted.has(id)) asked.delete(id);
    yield glance;
  }
  const open: string[] = [];
  for (const id of unlisted) {
    if (!asked.has(id)) open.push(id);
    if (open.length > asksMax) break;
    yield glance;
  }
  return open;
}

function* endedOf(asked: ReadonlyMap<string, boolean>): Steps<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (const [id, isEnded] of asked) {
    if (isEnded) ids.add(id);
    yield glance;
  }
  return ids;
}

/** `unlisted`: those in question, of a moment before this call. Adds to `known`, and forgets who is in question no more. */
export async function endedSessions(
  unlisted: ReadonlySet<string>,
  asking: EndedAsking,
  known: EndedKnown,
  { nowMs, signal }: { readonly nowMs: number; readonly signal: AbortSignal },
): Promise<Ended> {
  const { asked } = known;
  const open = await inSlices(openOf(unlisted, asked), yieldToEventLoop);
  const isBlind = () => nowMs < known.blindUntilMs;
  if (open.length > 0 && !isBlind() && !(await asking.seesAll(signal))) known.blindUntilMs = nowMs + blindMs;
  const now = isBlind() ? [] : open.slice(0, asksMax);
  for (let at = 0; at < now.length; at += batchSize)
    await Promise.all(
      now.slice(at, at + batchSize).map(async (id) => {
        const found = await asking.session(id, signal);
        if (found === 'unknown') known.blindUntilMs = nowMs + blindMs;
        // One that is there will be listed, and is in question no more.
        else if (found !== 'there') asked.set(id, found === 'ended');
      }),
    );
  const ids = await inSlices(endedOf(asked), yieldToEventLoop);
  if (open.length > 0 && isBlind()) return { ids, askAtMs: known.blindUntilMs };
  return { ids, askAtMs: open.length > now.length ? nowMs + moreMs : null };
}
