/**
 * Whether a token may read every key. Consul leaves out of a list what it may not, before 1.11 without a word, and to whoever has
 * no token without one to this day: a list that says nothing is no proof that it is the whole.
 */
import { type Ask, anyName } from './acl';
import type { ConsulClient } from './client';
import { ConsulError, isControlOff } from './errors';

/** The wide right: what holds for every key that no rule names. */
const everyKey: Ask = { resource: 'key', access: 'read', segment: anyName };

/** What waits for this has been read already, and not to know is an answer. */
const timeoutMs = 2_500;

/** `null`: it could not be asked. A bug is thrown, and an abort. */
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
