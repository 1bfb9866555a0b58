/**
 * Whether a token may read every key. Consul omits unreadable keys from a list, before 1.11 and for anonymous callers
 * without a sign.
 */
import { type Ask, anyName } from './acl';
import type { ConsulClient } from './client';
import { ConsulError, isControlOff } from './errors';

const everyKey: Ask = { resource: 'key', access: 'read', segment: anyName };

/** The waiting reads are done, and "unknown" is an answer. */
const timeoutMs = 2_500;

/** `null`: no answer. Throws for a bug and for an abort. */
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
