/**
 * Finds the recorded sessions that have ended, where nothing else proves it (`ghost-rule.ts`). The watch's list is no
 * proof, because it may be older than the record, and omits sessions that the token may not read. So the watch asks for
 * each unlisted session, and only where the token sees every session. An ended session does not come back, so that
 * answer stays true (`known-answers.ts`).
 */

import { type Answers, askOpen, newAnswers, openNames } from './known-answers';

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
  /** `plain`: ended. */
  readonly answers: Answers;
  /** Epoch milliseconds. */
  blindUntilMs: number;
}

export const newEndedKnown = (): EndedKnown => ({ answers: newAnswers(), blindUntilMs: 0 });

export interface Ended {
  readonly ids: ReadonlySet<string>;
  /** The instant to ask again, although Consul will not wake the watch; `null`: never. */
  readonly askAtMs: number | null;
}

/** The ended ones of `unlisted`, the ids in question. Updates `known`. */
export async function endedSessions(
  unlisted: ReadonlySet<string>,
  asking: EndedAsking,
  known: EndedKnown,
  { nowMs, signal }: { readonly nowMs: number; readonly signal: AbortSignal },
): Promise<Ended> {
  const { answers } = known;
  const { names, more } = await openNames(unlisted, answers, nowMs);
  const isBlind = () => nowMs < known.blindUntilMs;
  if (names.length > 0 && !isBlind() && !(await asking.seesAll(signal))) known.blindUntilMs = nowMs + blindMs;
  const isHidden = async (id: string) => {
    const state = await asking.session(id, signal);
    if (state === 'unknown') known.blindUntilMs = nowMs + blindMs;
    // A live session will be listed, and then is no longer in question.
    return state === 'ended' || state === 'kept' ? state === 'kept' : null;
  };
  const askAtMs = await askOpen(
    isBlind() ? { names: [], more: false } : { names, more },
    answers,
    isHidden,
    nowMs,
  );
  const ids = new Set(answers.plain);
  return { ids, askAtMs: names.length > 0 && isBlind() ? known.blindUntilMs : askAtMs };
}
