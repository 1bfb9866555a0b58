/**
 * Whether a token sees every session. Consul cuts its lists of sessions by the node, and before 1.11 without a word, so a
 * session that is not listed may well be there. Only where nothing is kept from the token has one ended that is missing.
 */
import { type Ask, anyName } from './acl';
import type { ConsulClient } from './client';
import { ConsulError, isControlOff } from './errors';

/** The wide right: what holds for the sessions of every node that no rule names. */
const everyNode: Ask = { resource: 'session', access: 'read', segment: anyName };

/** False also where it could not be asked. A bug is thrown, and an abort. */
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
