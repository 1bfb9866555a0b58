/**
 * Sending a write, and what to do when it is refused or its answer is lost.
 *
 * A refused comparison is never repeated as it is: the action is judged anew on a fresh read, with the operator's
 * expectation compared again. A lost answer is never answered with the same write: the aim is looked for instead,
 * for a bounded time, and what is seen is what is told.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { isProblem, type Problem, ProblemError } from '@/lib/domain/problem';
import { type TxnOp, txnBody, writeJson } from '@/lib/providers/consul/client/wire';
import { type ActContext, refusal, refused } from './consistent-read';

/** Most times that a write is judged anew because somebody else wrote in between. */
const attemptsMax = 20;
/** How long to look for the effect of a write whose answer was lost. */
const settleMaxMs = 5_000;
const settleEveryMs = 200;

/** Every Consul takes this much unless configured otherwise (`limits.txn_max_req_len`). Base64 adds a third to a value. */
const bytesSure = 512 * 1024;

export const isTooLarge = (error: unknown): boolean =>
  error instanceof ProblemError && error.problem.why?.code === 'write-too-large';

/**
 * Throws `write-too-large` where Consul would not take this write. The limit can be configured, so Consul itself is asked about a
 * large one: by that very write, and a check beside it that cannot hold. True where Consul was asked.
 */
export async function requireFits(
  { client, signal }: Pick<ActContext, 'client' | 'signal'>,
  write: readonly TxnOp[],
): Promise<boolean> {
  const value = write.find((op) => 'value' in op);
  if (value === undefined) return false;
  const bytes = writeJson(txnBody(write)).length;
  if (bytes <= bytesSure) return false;
  // The write needs the entry to exist, so the check fails, and nothing is written.
  const ops: TxnOp[] = [...write, { verb: 'check-not-exists', key: value.key }];
  try {
    await client.txn(ops, { signal });
  } catch (error) {
    if (isTooLarge(error))
      throw refusal('invalid', { code: 'write-too-large', facts: { bytes } }, { cause: error });
    // Of a lost answer nothing is to be feared here.
    if (error instanceof ProblemError && error.problem.code === 'unknown-result')
      throw new ProblemError({ code: 'unavailable' }, { cause: error });
    throw error;
  }
  return true;
}

type Sent = 'done' | 'lost' | 'unknown';

/** True for a failure after which the write may have been made all the same. */
function mayBeDone(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted || (error instanceof ProblemError && error.problem.code === 'unknown-result');
}

/** Sends one transaction. `lost`: a comparison failed, nothing was written. Throws what is surely not written. */
async function commit({ client, signal }: ActContext, ops: readonly TxnOp[]): Promise<Sent> {
  signal.throwIfAborted();
  // It would be refused before it is sent, and pass for a write of which nobody knows.
  if (ops.length === 0) throw new Error('A transaction of nothing.');
  try {
    const outcome = await client.txn(ops, { signal });
    if (outcome.done) return 'done';
    const refusal = refused(outcome.errors);
    if (refusal.problem.code === 'forbidden') throw refusal;
    return 'lost';
  } catch (error) {
    if (mayBeDone(error, signal)) return 'unknown';
    throw error;
  }
}

/** Looks for the aim until it is reached or the time is over; throws `unknown-result` then, with what is seen. */
async function settle(context: ActContext, reached: () => Promise<boolean>): Promise<void> {
  // Not by the wall clock: set back meanwhile, it would have the person wait for as long.
  const endMs = performance.now() + settleMaxMs;
  let failed: unknown = null;
  while (!context.signal.aborted) {
    try {
      if (await reached()) return;
      failed = null;
    } catch (error) {
      failed = error;
    }
    if (performance.now() >= endMs) break;
    await delay(settleEveryMs, undefined, { signal: context.signal }).catch(() => undefined);
  }
  const read = failed === null && !context.signal.aborted;
  throw refusal(
    'unknown-result',
    { code: read ? 'write-not-seen' : 'state-not-readable', facts: {} },
    failed === null ? {} : { cause: failed },
  );
}

/** What `converge` says: whether the answer was lost on the way, so that the aim was seen and not confirmed. */
export interface Converged {
  readonly answerLost: boolean;
}

/**
 * Writes until the aim is reached. `next` reads afresh, refuses by throwing, and names the one transaction that
 * reaches the aim from there; `null` when nothing is left to do. `reached` tells the same without judging.
 */
export async function converge(
  context: ActContext,
  { next, reached }: { next: () => Promise<readonly TxnOp[] | null>; reached: () => Promise<boolean> },
): Promise<Converged> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    // Clients that fight for a busy entry need some milliseconds each: the first retries are worth no wait.
    if (attempt > 2) await delay(5 * attempt, undefined, { signal: context.signal });
    const ops = await next();
    if (ops === null) return { answerLost: false };
    const sent = await commit(context, ops);
    if (sent === 'done') return { answerLost: false };
    if (sent === 'unknown') {
      await settle(context, reached);
      return { answerLost: true };
    }
  }
  throw refusal('busy', { code: 'entry-busy', facts: { tries: attemptsMax } });
}

/** Of each session, when everybody who came so far has ended. */
const ends = new Map<string, Promise<unknown>>();

/**
 * Does `work` when nobody else of this process is about to end the session: actions that end the same session take turns.
 * Consul answers `true` to everybody who ends a session, whether it was there or not, so of two at once each would report
 * the end as its own. In turn, the second one reads that it is gone. Throws the signal's reason when it waits too long.
 */
export async function inSessionTurn<T>(
  sessionId: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const before = ends.get(sessionId);
  const finished = new AbortController();
  const own = new Promise((resolve) => finished.signal.addEventListener('abort', resolve));
  const all = Promise.all([before, own]);
  ends.set(sessionId, all);
  try {
    if (before !== undefined) await Promise.race([before, abortOf(signal, finished.signal)]);
    return await work();
  } finally {
    finished.abort();
    if (ends.get(sessionId) === all) ends.delete(sessionId);
  }
}

/** Rejects when the signal aborts; listens until `finished`. */
const abortOf = (signal: AbortSignal, finished: AbortSignal) =>
  new Promise<never>((_, reject) => {
    const left = () => reject(signal.reason);
    if (signal.aborted) left();
    signal.addEventListener('abort', left, { once: true, signal: finished });
  });

/** Destroys a session. Consul has no condition for it, so everything is compared before this is called. */
export async function destroySession(
  context: ActContext,
  sessionId: string,
  reached: () => Promise<boolean>,
): Promise<Converged> {
  context.signal.throwIfAborted();
  let answerLost = false;
  context.ends?.add(sessionId);
  try {
    await context.client.destroySession(sessionId, { signal: context.signal }).catch((error: unknown) => {
      if (!mayBeDone(error, context.signal)) throw error;
      answerLost = true;
    });
    // Consul answers `true` for a session that the token may not see, too: only what is read says that it is gone.
    await settle(context, reached);
  } catch (error) {
    context.ends?.remove(sessionId);
    throw error;
  }
  return { answerLost };
}

/** Whatever an action threw, as the problem that it returns; a bug goes on its way. */
export function problemOf(error: unknown, signal?: AbortSignal): Problem {
  if (error instanceof ProblemError) return error.problem;
  if (signal?.aborted && (error === signal.reason || (error instanceof Error && error.name === 'AbortError')))
    return { code: 'unavailable', why: { code: 'given-up', facts: {} } };
  if (isProblem(error)) return error;
  throw error;
}
