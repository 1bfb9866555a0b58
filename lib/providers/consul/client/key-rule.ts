/**
 * The keys that Consul 2.0 and later refuse in a transaction, by which Signalbox writes (`validateKVKey` in agent/kvs_endpoint.go). Such
 * entries exist: older versions took them, and a snapshot or an upgrade brings them along.
 */
import type { ConsulClient } from './client';
import { ConsulError } from './errors';

/** What percent signs stand for; nothing where one of them is followed by no two figures, as in Consul. */
function decoded(key: string): string {
  if (!key.includes('%') || /%(?![\da-f]{2})/i.test(key)) return '';
  return key.replaceAll(/%([\da-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** Whether a key breaks the rule. */
export function breaksKeyRule(key: string): boolean {
  return key === '' || /^\/|^ | $|(^|\/)\.\.(\/|$)/.test(key) || /\.\.| /.test(decoded(key));
}

/** What waits for this has been read already, and not to know is an answer. */
const timeoutMs = 2_500;

/**
 * Whether the agent in use enforces the rule, asked by a transaction that only reads. Its version would say less: reading that takes a
 * right, and the rule is the agent's, whatever its servers run. `null`: it could not be asked. A bug is thrown, and an abort.
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
