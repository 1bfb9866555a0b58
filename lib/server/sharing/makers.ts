/**
 * Share links show the rows that their makers' tokens may read. The backend is asked about each token as about a
 * signed-in person's. Equal rights share one world (`credential-pool.ts`).
 */
import type { AccessControl } from '@/lib/domain/identity';
import { isProblem, type Problem, ProblemError } from '@/lib/domain/problem';
import type { Backend } from '@/lib/domain/seam/backend';
import type { CredentialPool, PooledCredential } from '@/lib/server/identity/credential-pool';
import { type Credentials, credentialName } from '@/lib/server/identity/credentials';
import type { TokenSeal } from '@/lib/server/identity/sealed-token';
import { errorFields, type Log } from '@/lib/server/process/log';
import type { GrantBook, KeptGrant } from './grant-store';

export interface Maker {
  readonly grantId: string;
  /** The maker's `credentialName`. */
  readonly name: string;
  viewpoint(): PooledCredential;
}

export interface Makers {
  /**
   * `null`: the backend asks for no credentials. `undefined`: no rights to show the link with. Throws `unavailable`
   * where that is unknown, and where the server's world cannot be cut.
   */
  of(stored: KeptGrant): Promise<Maker | null | undefined>;
  /** Asks once more first, as the end is final. */
  check(ids: readonly string[]): Promise<void>;
}

export type MakerNeeds = {
  readonly backend: Backend;
  readonly viewpoints: CredentialPool;
  readonly credentials: Credentials;
  readonly accessControl: () => Promise<AccessControl>;
  readonly now: () => number;
  readonly log: Log;
} & { readonly book: GrantBook; readonly seal: TokenSeal };

export const narrow: Problem = { code: 'unavailable', why: { code: 'grant-server-narrow', facts: {} } };
export const controlUnknown: Problem = { code: 'unavailable', why: { code: 'access-unknown', facts: {} } };

export function createMakers(needs: MakerNeeds): Makers {
  const { backend, viewpoints, credentials, accessControl, now, log, book, seal } = needs;
  const tokenOf = ({ grant, sealed }: KeptGrant) => (sealed === null ? null : seal.open(sealed, grant.id));
  const markLost = async (lost: readonly KeptGrant[]) => {
    if (lost.length === 0) return;
    await book.lose(lost, now());
    for (const { grant } of lost)
      log.info({ grant: grant.id }, 'a share link has ended: Consul has forgotten the token of its maker');
  };
  /** The next check finds the loss again. */
  const notKept = (error: unknown) =>
    log.warn(errorFields(error), 'that the token of a share link is gone was not kept');

  return {
    of: async (stored) => {
      const control = await accessControl();
      if (control === 'off') return null;
      const token = tokenOf(stored);
      if (token === null && control === 'unknown') throw new ProblemError(controlUnknown);
      if (token === null) return undefined;
      // An outage ends no link: its last known state is shown as stale.
      const who = await credentials.whoIs(token);
      if (isProblem(who) && who.code === 'signed-out') {
        await markLost([stored]).catch(notKept);
        return undefined;
      }
      if (backend.seesAll === 'no') throw new ProblemError(narrow);
      return {
        grantId: stored.grant.id,
        name: credentialName(token),
        viewpoint: () => viewpoints.of(token),
      };
    },
    check: async (ids) => {
      try {
        const links = await book.byIds(ids);
        const goneFlags = await Promise.all(
          links.map(async (stored) => {
            const token = tokenOf(stored);
            const answer = token === null ? null : await credentials.ask(token);
            return answer !== null && isProblem(answer) && answer.code === 'signed-out';
          }),
        );
        await markLost(links.filter((_, i) => goneFlags[i]));
      } catch (error) {
        notKept(error);
      }
    },
  };
}
