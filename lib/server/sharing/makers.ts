/**
 * With whose rights share links are shown: those of the tokens that are kept sealed beside them. The backend is asked about each
 * token as about that of a person who looks, and what may be seen with it is shared with everybody of equal rights (`credential-pool.ts`).
 */
import type { AccessControl } from '@/lib/domain/identity';
import { isProblem, type Problem, ProblemError } from '@/lib/domain/problem';
import type { Backend } from '@/lib/domain/seam/backend';
import type { Viewpoint, Viewpoints } from '@/lib/server/identity/credential-pool';
import { type Credentials, credentialName } from '@/lib/server/identity/credentials';
import type { TokenSeal } from '@/lib/server/identity/sealed-token';
import { errorFields, type Log } from '@/lib/server/process/log';
import type { GrantBook, KeptGrant } from './grant-store';

/** With whose rights a grant is shown. */
export interface Maker {
  /** The link that keeps the token. */
  readonly grantId: string;
  /** Of `credentialName`. */
  readonly name: string;
  viewpoint(): Viewpoint;
}

export interface Makers {
  /**
   * `null`: the backend asks nobody for credentials. `undefined`: there is nobody with whose rights it could be shown. Throws
   * `unavailable` where that cannot be found out, and where nothing can be cut to anybody's rights.
   */
  of(kept: KeptGrant): Promise<Maker | null | undefined>;
  /** Ends those of these links whose token the backend has forgotten. It is asked once more before that, as it is for good. */
  check(ids: readonly string[]): Promise<void>;
}

export type MakerNeeds = {
  readonly backend: Backend;
  readonly viewpoints: Viewpoints;
  readonly credentials: Credentials;
  readonly accessControl: () => Promise<AccessControl>;
  readonly now: () => number;
  readonly log: Log;
} & { readonly book: GrantBook; readonly seal: TokenSeal };

/** What cannot be cut to the rights of its maker is not shown. */
export const narrow: Problem = { code: 'unavailable', why: { code: 'grant-server-narrow', facts: {} } };
export const controlUnknown: Problem = { code: 'unavailable', why: { code: 'access-unknown', facts: {} } };

export function createMakers(needs: MakerNeeds): Makers {
  const { backend, viewpoints, credentials, accessControl, now, log, book, seal } = needs;
  const tokenOf = ({ grant, sealed }: KeptGrant) => (sealed === null ? null : seal.open(sealed, grant.id));
  const lose = async (lost: readonly KeptGrant[]) => {
    if (lost.length === 0) return;
    await book.lose(lost, now());
    for (const { grant } of lost)
      log.info({ grant: grant.id }, 'a share link has ended: Consul has forgotten the token of its maker');
  };
  /** Whoever looks next finds it out again. */
  const notKept = (error: unknown) =>
    log.warn(errorFields(error), 'that the token of a share link is gone was not kept');

  return {
    of: async (kept) => {
      const control = await accessControl();
      if (control === 'off') return null;
      const token = tokenOf(kept);
      if (token === null && control === 'unknown') throw new ProblemError(controlUnknown);
      if (token === null) return undefined;
      // An outage is no end: what was known last is shown as old then.
      const who = await credentials.whoIs(token);
      if (isProblem(who) && who.code === 'signed-out') {
        await lose([kept]).catch(notKept);
        return undefined;
      }
      if (backend.seesAll === 'no') throw new ProblemError(narrow);
      return {
        grantId: kept.grant.id,
        name: credentialName(token),
        viewpoint: () => viewpoints.of(token),
      };
    },
    check: async (ids) => {
      try {
        const links = await book.byIds(ids);
        const gone = await Promise.all(
          links.map(async (kept) => {
            const token = tokenOf(kept);
            const said = token === null ? null : await credentials.ask(token);
            return said !== null && isProblem(said) && said.code === 'signed-out';
          }),
        );
        await lose(links.filter((_, i) => gone[i]));
      } catch (error) {
        notKept(error);
      }
    },
  };
}
