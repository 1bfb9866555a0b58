/**
 * Keys that Consul 2.0 and later refuse in a transaction, which is how Signalbox writes (`validateKVKey` in
 * agent/kvs_endpoint.go). Such entries exist: older versions took them, and snapshots and upgrades keep them.
 */
import type { ConsulClient } from './client';
import { ConsulError } from './errors';

/** Decodes percent signs. The result is empty if one lacks its two hex digits, as in Consul. */
function decoded(key: string): string {
  if (!key.includes('%') || /%(?![\da-f]{2})/i.test(key)) return '';
  return key.replaceAll(/%([\da-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

export function breaksKeyRule(key: string): boolean {
  return key === '' || /^\/|^ | $|(^|\/)\.\.(\/|$)/.test(key) || /\.\.| /.test(decoded(key));
}

/** The reads that wait for this are already done, and "unknown" is an answer. */
const timeoutMs = 2_500;

/**
 * Asks whether the agent in use enforces the rule, by a read-only transaction. The version is a worse source: it
 * requires a right, and the rule is the agent's, whatever its servers run. `null`: no answer. Throws for a bug and for
 * an abort.
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
