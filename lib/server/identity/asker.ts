/**
 * By whom a request is counted before anything looks at it. A cookie that this server has sealed and a token that the backend has
 * confirmed name a person, whether they still hold or not. Whatever else is presented may be made up, and names nobody.
 */
import type { Identity } from '@/lib/domain/identity';
import type { Asker } from '@/lib/server/http/limits';
import { type CallerRuntime, presentedTokens } from './caller';
import { credentialName } from './credentials';
import { readCookie } from './seal';

export type AskerRuntime = Pick<CallerRuntime, 'arrivals' | 'seal' | 'credentials'>;

async function secretOf(
  headers: Headers,
  secure: boolean,
  { seal, credentials }: AskerRuntime,
): Promise<string | null> {
  const confirmed = presentedTokens(headers).find((token) => token !== null && credentials.knows(token));
  if (confirmed !== undefined) return confirmed;
  const cookie = readCookie(headers, secure);
  return cookie === null ? null : ((await seal.open(cookie))?.secret ?? null);
}

export async function askerOf(headers: Headers, runtime: AskerRuntime): Promise<Asker> {
  const { address, secure, person } = runtime.arrivals(headers);
  const secret = await secretOf(headers, secure, runtime);
  const identity: Identity =
    secret !== null
      ? { kind: 'token', id: credentialName(secret), name: '' }
      : person !== null
        ? { kind: 'proxy', name: person }
        : { kind: 'anonymous' };
  return { identity, address };
}

/** Readers of embeds are nobody: what could say who they are is never looked at. */
export const readerOf = (
  headers: Pick<Headers, 'get'>,
  { arrivals }: Pick<AskerRuntime, 'arrivals'>,
): Asker => ({
  identity: { kind: 'anonymous' },
  address: arrivals(headers).address,
});
