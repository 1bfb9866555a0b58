/**
 * Finds out if a token may read every key. Consul omits unreadable keys from a list, before 1.11 and for anonymous
 * callers without a sign.
 */
import { type Ask, anyName } from './acl';
import type { ConsulClient } from './client';
import { ConsulError, isControlOff } from './errors';

const everyKey: Ask = { resource: 'key', access: 'read', segment: anyName };

/** Short, because other reads wait for the answer and may do without. */
const timeoutMs = 2_500;

/** Resolves to `null` without an answer. Throws only for a bug or an abort. */
export async function seesEveryKey(
  { authorize }: Pick<ConsulClient, 'authorize'>,
  signal: AbortSignal,
): Promise<boolean | null> {
  try {
    return (await authorize([everyKey], { signal, timeoutMs }))[0] === true;
  } catch (error) {
    if (signal.aborted || !(error instanceof ConsulError)) throw error;
    return isControlOff(error) ? true : null;
  }
}
