/**
 * The only entrance to embeds. Only the grant in the address counts. Cookies, `Authorization` and other identifying
 * headers are never read. Every faulty grant gets the same answer, so that a guess reveals nothing.
 */
import { randomBytes } from 'node:crypto';
import { ProblemError } from '@/lib/domain/problem';
import type { EmbedView } from '@/lib/domain/sharing/grant';
import { answering, HttpProblem, problemResponse, requireSoundAddress } from '@/lib/server/http/http';
import { errorFields } from '@/lib/server/process/log';
import { type Runtime, runtime } from '@/lib/server/runtime';
import { type GrantCredential, shownBy } from '@/lib/server/sharing/embed-credential';
import type { OpenGrant } from '@/lib/server/sharing/grant-watch';

const anonymous = { kind: 'anonymous' } as const;

/** No cookie affects the content, so no origin needs protection, and a sandboxed frame has none. */
const open = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };

/**
 * Throws `not-found` for a grant that grants nothing here, 429 for too many requests of one address, and `unavailable`
 * while the grant cannot be checked. `view`: `null` for data that all views share.
 */
export async function openEmbed(
  shown: GrantCredential,
  headers: Pick<Headers, 'get'>,
  view: EmbedView | null,
  { limits, arrivals, grants }: Pick<Runtime, 'limits' | 'arrivals' | 'grants'>,
): Promise<OpenGrant> {
  await limits.take('embed', { identity: anonymous, address: arrivals(headers).address });
  const grant = await grants.watch.open(shown);
  if (grant === null || (view !== null && grant.scope.view !== view))
    throw new ProblemError({ code: 'not-found', why: { code: 'not-granted', facts: {} } });
  return grant;
}

/** `refused`: makes a refusal that is not JSON. */
export async function enterEmbed(
  request: Request,
  answer: (grant: OpenGrant, runtime: Runtime) => Promise<Response> | Response,
  refused: (status: number) => Response | null = () => null,
): Promise<Response> {
  const present = runtime();
  const response = await answering(async () => {
    requireSoundAddress(request, present.env);
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw new HttpProblem(
        { code: 'invalid', why: { code: 'wrong-method', facts: { allowed: 'GET, HEAD' } } },
        405,
        { allow: 'GET, HEAD' },
      );
    const grant = await openEmbed(shownBy(new URL(request.url).searchParams), request.headers, null, present);
    return answer(grant, present);
  }).catch((error: unknown) => {
    const id = randomBytes(6).toString('hex');
    present.log.error({ id, path: new URL(request.url).pathname, ...errorFields(error) }, 'bug');
    return problemResponse({ code: 'unavailable', why: { code: 'server-bug', facts: { id } } }, 500);
  });
  const shaped = response.ok ? response : (refused(response.status) ?? response);
  for (const [name, value] of Object.entries(open)) shaped.headers.set(name, value);
  return shaped;
}
