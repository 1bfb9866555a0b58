/**
 * Sends a write, and handles a refusal or a lost answer.
 *
 * A refused comparison is never repeated unchanged: the action reads again, and compares with the operator's
 * expectation again. After a lost answer the write is not repeated. Instead the action looks for its aim, for a limited
 * time, and reports what it saw.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { isProblem, type Problem, ProblemError } from '@/lib/domain/problem';
import { type TxnOp, txnBody, writeJson } from '@/lib/providers/consul/client/wire';
import { type ActContext, refusal, refused } from './consistent-read';

/** Most attempts while other clients write in between. */
const attemptsMax = 20;
/** Longest search for the effect of a write whose answer was lost. */
const settleMaxMs = 5_000;
const settleEveryMs = 200;

/** The default of `limits.txn_max_req_len`. Base64 adds a third to a value. */
const bytesSure = 512 * 1024;

export const isTooLarge = (error: unknown): boolean =>
  error instanceof ProblemError && error.problem.why?.code === 'write-too-large';

/**
 * Throws `write-too-large` when Consul would not take this write. The limit is configurable, so a large write is sent
 * to Consul beside a check that fails. True when Consul was asked.
 */
export async function requireFits(
  { client, signal }: Pick<ActContext, 'client' | 'signal'>,
  write: readonly TxnOp[],
): Promise<boolean> {
  const value = write.find((op) => 'value' in op);
  if (value === undefined) return false;
  const bytes = writeJson(txnBody(write)).length;
  if (bytes <= bytesSure) return false;
  // The write requires the entry to exist, so the check fails and nothing is written.
  const ops: TxnOp[] = [...write, { verb: 'check-not-exists', key: value.key }];
  try {
    await client.txn(ops, { signal });
  } catch (error) {
    if (isTooLarge(error))
      throw refusal('invalid', { code: 'write-too-large', facts: { bytes } }, { cause: error });
    // A lost answer does no harm here, because nothing can have been written.
    if (error instanceof ProblemError && error.problem.code === 'unknown-result')
      throw new ProblemError({ code: 'unavailable' }, { cause: error });
    throw error;
  }
  return true;
}

type Sent = 'done' | 'lost' | 'unknown';

/** True for a failure after which the write may have been made. */
function mayBeDone(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted || (error instanceof ProblemError && error.problem.code === 'unknown-result');
}

/**
 * Sends one transaction. `lost`: a comparison failed, so nothing was written. Throws when nothing was written for any
 * other reason.
 */
async function commit({ client, signal }: ActContext, ops: readonly TxnOp[]): Promise<Sent> {
  signal.throwIfAborted();
  // An empty transaction is refused unsent, which would look like a write with an unknown result.
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

/** Looks for the aim until it is reached. Throws `unknown-result` when the time is over. */
async function settle(context: ActContext, reached: () => Promise<boolean>): Promise<void> {
  // A wall clock that is set back would prolong the wait.
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

/** The result of `converge`. `answerLost`: the answer was lost, and the aim was seen instead. */
export interface Converged {
  readonly answerLost: boolean;
}

/**
 * Writes until the aim is reached. `next` reads again, throws a refusal, and gives the one transaction that reaches the
 * aim; `null`: nothing remains to do. `reached` only looks for the aim.
 */
export async function converge(
  context: ActContext,
  { next, reached }: { next: () => Promise<readonly TxnOp[] | null>; reached: () => Promise<boolean> },
): Promise<Converged> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    // Clients that compete for a busy entry need some milliseconds each, so the first retries do not wait.
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

/** The end of all present callers, by session. */
const ends = new Map<string, Promise<unknown>>();

/**
 * Runs `work` in turn with other actions of this process that end the same session. Consul answers `true` for an absent
 * session, too, so two simultaneous actions would both claim the end. In turn, the second one reads that the session is
 * gone. Throws the signal's reason when that aborts the wait.
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

/** Destroys a session. Consul offers no condition for it, so compare everything before. */
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
    // Consul also answers `true` for a session that is hidden from the token, so only a read proves the end.
    await settle(context, reached);
  } catch (error) {
    context.ends?.remove(sessionId);
    throw error;
  }
  return { answerLost };
}

/** The problem that an action threw. Throws a bug. */
export function problemOf(error: unknown, signal?: AbortSignal): Problem {
  if (error instanceof ProblemError) return error.problem;
  if (signal?.aborted && (error === signal.reason || (error instanceof Error && error.name === 'AbortError')))
    return { code: 'unavailable', why: { code: 'given-up', facts: {} } };
  if (isProblem(error)) return error;
  throw error;
}
