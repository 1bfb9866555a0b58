/**
 * Asks Consul whether a lock-delay runs for a key, by a transaction that would lock it for an impossible session. The
 * leader checks the lock-delay before it proposes anything to the log (`kvsPreApply`, agent/consul/kvs_endpoint.go).
 * Without a lock-delay the transaction fails on the session, after an entry in the Raft log of every server. So only a
 * person asks, once, and never in a loop.
 */
import { isSure } from '@/lib/domain/actions/action';
import type { Problem } from '@/lib/domain/problem';
import type { Probed } from '@/lib/domain/seam/probe';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { ConsulError } from '@/lib/providers/consul/client/errors';

/** Consul makes random ids (version 4), so no session can have this one. */
const nilSessionId = '00000000-0000-0000-0000-000000000000';

/** The write can never succeed, so its result is not unknown. */
function withoutWrite(problem: Problem): Problem {
  return problem.code === 'unknown-result' ? { ...problem, code: 'unavailable' } : problem;
}

/** `roots`: the string prefixes in view; keys outside are not asked about. */
export async function probeDelay(
  { client, now, roots }: { client: Pick<ConsulClient, 'txn'>; now: () => number; roots: readonly string[] },
  key: string,
  signal: AbortSignal,
): Promise<Probed | Problem> {
  if (!roots.some((root) => key.startsWith(root)))
    return { code: 'not-found', why: { code: 'outside-view', facts: { name: key } } };
  // Consul would answer about another key.
  if (!isSure(key)) return { code: 'invalid', why: { code: 'name-not-sure', facts: {} } };
  try {
    const lock = { verb: 'lock', key, value: Buffer.alloc(0), flags: '0', session: nilSessionId } as const;
    const outcome = await client.txn([lock], { signal });
    const what = outcome.done ? '' : (outcome.errors[0]?.what ?? '');
    // Consul refuses a whole transaction with 409 where any other call gets 403.
    if (what.startsWith('Permission denied'))
      return { code: 'forbidden', why: { code: 'token-refused', facts: {} } };
    const answer = what.includes('due to lock delay')
      ? 'delayed'
      : what.includes('invalid session')
        ? 'not-delayed'
        : 'cannot-tell';
    return { answer, atMs: now() };
  } catch (error) {
    if (error instanceof ConsulError) return withoutWrite(error.problem);
    throw error;
  }
}
