/**
 * Finds the unlisted sessions that have ended. A read is enough for a view; a write first asks Consul about each
 * session.
 */
import { ProblemError } from '@/lib/domain/problem';
import type { ConsulClient, Reply } from './client';
import { ConsulError } from './errors';
import { seesEverySession } from './session-sight';
import type { SessionRow, TxnOp } from './wire';

const none: ReadonlySet<string> = new Set();

/**
 * The `ids` that may have ended: `list`, read after their records, lacks them, and no known rule hides them. The
 * token's rights are checked only if one is missing.
 */
export async function missingFrom(
  client: Pick<ConsulClient, 'authorize'>,
  ids: Iterable<string>,
  list: Reply<readonly SessionRow[]> | null,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  if (list === null) return none;
  const missing = new Set(ids);
  // Consul ignores letter case in session ids.
  const listed = new Set(list.value.map(({ id }) => id.toLowerCase()));
  for (const id of missing) if (listed.has(id.toLowerCase())) missing.delete(id);
  return missing.size > 0 && (await seesEverySession(client, signal)) ? missing : none;
}

/** Sessions read per batch, and per look. */
const batchSize = 8;
const readsMax = 256;

/**
 * The ids of `missing` that have ended, by reading. Consul reports that a list was cut, but not which session it lacks.
 * So each id is read where the list was cut, and ids beyond the cap stay unknown.
 */
export async function endedOf(
  client: Pick<ConsulClient, 'session'>,
  missing: ReadonlySet<string>,
  isCut: boolean,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  if (!isCut) return missing;
  const ended = new Set<string>();
  const ids = [...missing].slice(0, readsMax);
  for (let at = 0; at < ids.length; at += batchSize)
    await Promise.all(
      ids.slice(at, at + batchSize).map(async (id) => {
        if ((await presenceOf(client, id, signal)) === 'ended') ended.add(id);
      }),
    );
  return ended;
}

/** Confirmed by a quorum. `kept`: hidden from this token. Throws only for a bug or an abort. */
export async function presenceOf(
  { session }: Pick<ConsulClient, 'session'>,
  id: string,
  signal: AbortSignal,
): Promise<'there' | 'ended' | 'kept' | 'unknown'> {
  try {
    const { value, filtered } = await session(id, { signal, consistency: 'consistent' });
    return value !== null ? 'there' : filtered ? 'kept' : 'ended';
  } catch (error) {
    if (signal.aborted || !(error instanceof ConsulError)) throw error;
    return 'unknown';
  }
}

/** A recorded session, and the key of its record. */
export interface Recorded {
  readonly sessionId: string;
  readonly key: string;
}

/** Consul's answers. A session in neither set is unknown. */
export interface SessionEnds {
  readonly ended: ReadonlySet<string>;
  readonly there: ReadonlySet<string>;
  /** Keys that the token may not write, so Consul does not answer about them. */
  readonly refused: ReadonlySet<string>;
  /** Keys under a lock-delay. Consul does not answer about them until it ends. */
  readonly delayed: ReadonlySet<string>;
}

/** Consul before 1.14 takes 64 operations, and the last is the one that fails. */
const asksMax = 63;

/** Consul's messages begin and end so. The key between may contain any words. */
const saysDenied = /^permission denied/i;
const saysEnded = /^invalid session/i;
const saysDelayed = /due to lock delay$/i;
const saysHeld = /lock is already held$/i;
const saysExists = /exists$/i;

/**
 * Asks Consul by a transaction that cannot succeed: it locks each session's recorded entry, and checks that an existing
 * entry is absent. A lock requires only the right to the key, as taking the record does, so a rule that hides sessions
 * makes no live holder a ghost. Consul checks a lock-delay of the key, then the session, then the entry (`kvsLockTxn`
 * in agent/consul/state/kvs.go). Throws the errors of `txn`. A lost answer throws `unavailable`, because nothing can
 * have been written.
 */
export async function askEnds(
  { txn }: Pick<ConsulClient, 'txn'>,
  recorded: readonly Recorded[],
  signal: AbortSignal,
): Promise<SessionEnds> {
  const ended = new Set<string>();
  const there = new Set<string>();
  const refused = new Set<string>();
  const delayed = new Set<string>();
  let open = recorded;
  while (open.length > 0) {
    const batch = open.slice(0, asksMax);
    const [{ key }] = batch as [Recorded];
    const outcome = await txn(
      [
        ...batch.map(
          (one): TxnOp => ({
            verb: 'lock',
            key: one.key,
            value: Buffer.alloc(0),
            flags: '0',
            session: one.sessionId,
          }),
        ),
        { verb: 'check-not-exists', key },
      ],
      { signal },
    ).catch((error: unknown) => {
      if (error instanceof ProblemError && error.problem.code === 'unknown-result')
        throw new ProblemError({ code: 'unavailable' }, { cause: error });
      throw error;
    });
    const reasonByOp = new Map((outcome.done ? [] : outcome.errors).map(({ op, what }) => [op, what]));
    // Consul reports both before it checks anything else, so the other keys need another question.
    const keysThat = (says: RegExp) =>
      batch.flatMap((one, i) => (says.test(reasonByOp.get(i) ?? '') ? one.key : []));
    const [denied, waited] = [keysThat(saysDenied), keysThat(saysDelayed)];
    for (const one of denied) refused.add(one);
    for (const one of waited) delayed.add(one);
    if (denied.length + waited.length > 0) {
      open = open.filter((one) => !refused.has(one.key) && !delayed.has(one.key));
      continue;
    }
    // A transaction refused before these checks proves nothing by a missing error.
    const isLookedAt = [...reasonByOp.values()].some((words) =>
      [saysEnded, saysHeld, saysExists].some((one) => one.test(words)),
    );
    for (const [i, { sessionId }] of batch.entries()) {
      const words = reasonByOp.get(i);
      if (words !== undefined && saysEnded.test(words)) ended.add(sessionId);
      else if (words === undefined ? isLookedAt : saysHeld.test(words)) there.add(sessionId);
    }
    open = open.slice(batch.length);
  }
  return { ended, there, refused, delayed };
}
