/**
 * Keys that Consul 2.0 and later refuse in a transaction, which is how Signalbox writes (`validateKVKey` in
 * agent/kvs_endpoint.go). Older versions took them, and snapshots and upgrades keep them.
 */
import type { ConsulClient } from './client';
import { ConsulError } from './errors';

/** The decoded key; empty if a percent sign lacks its two hex digits, as in Consul. */
function decoded(key: string): string {
  if (!key.includes('%') || /%(?![\da-f]{2})/i.test(key)) return '';
  return key.replaceAll(/%([\da-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

export function breaksKeyRule(key: string): boolean {
  return key === '' || /^\/|^ | $|(^|\/)\.\.(\/|$)/.test(key) || /\.\.| /.test(decoded(key));
}

/** Short, because other reads wait for the answer and may do without. */
const timeoutMs = 2_500;

/**
 * Asks whether the agent in use enforces the rule, by a read-only transaction. A question for its version would require
 * a right. Resolves to `null` without an answer. Throws only for a bug or an abort.
 */
export async function enforcesKeyRule(
  { txn }: Pick<ConsulClient, 'txn'>,
  signal: AbortSignal,
): Promise<boolean | null> {
  try {
    await txn([{ verb: 'get', key: '/' }], { signal, timeoutMs });
    return false;
  } catch (error) {
    if (signal.aborted || !(error instanceof ConsulError)) throw error;
    return error.problem.why?.code === 'key-refused' ? true : null;
  }
}
