/**
 * Which sessions have ended, of those that a list does not name. In two ways: by what can be read, which is enough to show; and by
 * asking Consul for each, which is asked before anything is written for it.
 */
import { ProblemError } from '@/lib/domain/problem';
import type { ConsulClient, Reply } from './client';
import { ConsulError } from './errors';
import { seesEverySession } from './session-sight';
import type { SessionRow, TxnOp } from './wire';

const none: ReadonlySet<string> = new Set();

/**
 * Those of `ids` that may have ended: `list`, which was read after whatever names them, does not name them, and no rule is known to
 * keep them out of it. `null`: it could not be read. What the token may see is asked for only where one is missing.
 */
export async function missingFrom(
  client: Pick<ConsulClient, 'authorize'>,
  ids: Iterable<string>,
  list: Reply<readonly SessionRow[]> | null,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  if (list === null) return none;
  const missing = new Set(ids);
  // Consul does not tell letter case apart in the name of a session.
  const listed = new Set(list.value.map(({ id }) => id.toLowerCase()));
  for (const id of missing) if (listed.has(id.toLowerCase())) missing.delete(id);
  return missing.size > 0 && (await seesEverySession(client, signal)) ? missing : none;
}

/** Sessions that are read at a time, and for one look. */
const batchSize = 8;
const readsMax = 256;

/**
 * Those of `missing` that have ended, as far as reading tells. Since 1.11 Consul says that a list was cut, not by which session; the
 * answer about one session says whether that one is kept. So each is read where the list was cut; of those beyond the cap none is known.
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

/** What one session's own answer says, to a quorum's knowledge. `kept`: from this token. Throws a bug, and an abort. */
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

/** A recorded session, and the key that it is recorded in. */
export interface Recorded {
  readonly sessionId: string;
  readonly key: string;
}

/** What Consul says of sessions when it is asked for each; of one in neither it does not say. */
export interface SessionEnds {
  readonly ended: ReadonlySet<string>;
  readonly there: ReadonlySet<string>;
  /** Keys that the token may not write: nothing is asked by them. */
  readonly refused: ReadonlySet<string>;
  /** Keys of which a lock-delay runs, a minute at most: until it is over nothing is told by them. */
  readonly delayed: ReadonlySet<string>;
}

/** Consul before 1.14 takes 64 operations in one transaction, and the last of these is the one that cannot hold. */
const asksMax = 63;

/** The beginnings and ends of Consul's own words; in between there may be the name of a key, with any words in it. */
const saysDenied = /^permission denied/i;
const saysEnded = /^invalid session/i;
const saysDelayed = /due to lock delay$/i;
const saysHeld = /lock is already held$/i;
const saysExists = /exists$/i;

/**
 * Asks Consul itself, by a transaction that it never makes: to lock, for each session, the entry that it is recorded in, and that such
 * an entry is absent, which it is not. It is answered whatever sessions the token may see, for to lock needs the right to the key
 * alone, the one that whoever takes the record needs as well. So a rule that hides the sessions of one node, which no list tells
 * of, makes nobody a ghost who is at work. Consul looks at the session before it looks at the entry (`kvsLockTxn` in agent/consul/state/kvs.go),
 * and at a lock-delay of the key before both: within one nothing is told of who is recorded there. Throws as `txn` does, and `unavailable` where the
 * answer was lost, for nothing is to be feared from it.
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
    const asked = open.slice(0, asksMax);
    const [{ key }] = asked as [Recorded];
    const outcome = await txn(
      [
        ...asked.map(
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
    const said = new Map((outcome.done ? [] : outcome.errors).map(({ op, what }) => [op, what]));
    // Either is told before anything else is looked at, so that the others are asked for again.
    const keysThat = (says: RegExp) =>
      asked.flatMap((one, i) => (says.test(said.get(i) ?? '') ? one.key : []));
    const [denied, waited] = [keysThat(saysDenied), keysThat(saysDelayed)];
    for (const one of denied) refused.add(one);
    for (const one of waited) delayed.add(one);
    if (denied.length + waited.length > 0) {
      open = open.filter((one) => !refused.has(one.key) && !delayed.has(one.key));
      continue;
    }
    // Of a transaction that was refused before its operations were looked at, no silence says anything.
    const isLookedAt = [...said.values()].some((words) =>
      [saysEnded, saysHeld, saysExists].some((one) => one.test(words)),
    );
    for (const [i, { sessionId }] of asked.entries()) {
      const words = said.get(i);
      if (words !== undefined && saysEnded.test(words)) ended.add(sessionId);
      else if (words === undefined ? isLookedAt : saysHeld.test(words)) there.add(sessionId);
    }
    open = open.slice(asked.length);
  }
  return { ended, there, refused, delayed };
}
