/**
 * Finds out if a token sees every session. Consul cuts session lists by node, before 1.11 without a sign, so an
 * unlisted session may be alive.
 */
import { type Ask, anyName } from './acl';
import type { ConsulClient } from './client';
import { ConsulError, isControlOff } from './errors';

const everyNode: Ask = { resource: 'session', access: 'read', segment: anyName };

/** False without an answer. Throws only for a bug or an abort. */
export async function seesEverySession(
  { authorize }: Pick<ConsulClient, 'authorize'>,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return (await authorize([everyNode], { signal }))[0] === true;
  } catch (error) {
    if (signal.aborted || !(error instanceof ConsulError)) throw error;
    return isControlOff(error);
  }
}
