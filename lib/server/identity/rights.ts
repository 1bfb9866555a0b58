/** `POST /api/v1/rights`: what the backend says of the caller's right to each action, before a button lights up. */
import { z } from 'zod';
import { actionSchema } from '@/lib/domain/actions/action';
import type { Right } from '@/lib/domain/identity';
import { ProblemError } from '@/lib/domain/problem';
import type { Provider } from '@/lib/domain/seam/provider';
import { readJsonBody } from '@/lib/server/http/http';
import { within } from '@/lib/server/process/deadline';

const bodyBytesMax = 256 * 1024;
const actionsMax = 64;
const timeoutMs = 5_000;
export const requestSchema = z.strictObject({ actions: z.array(actionSchema).min(1).max(actionsMax) });

/** A backend without rights refuses nobody; that a person may act at all is `writes` of the session. */
export async function answerRights(
  request: Request,
  { provider }: { readonly provider: Pick<Provider, 'rights'> },
): Promise<Response> {
  const parsed = requestSchema.safeParse(await readJsonBody(request, bodyBytesMax));
  if (!parsed.success)
    throw new ProblemError({
      code: 'invalid',
      why: { code: 'request-not-understood', facts: { where: 'actions' } },
    });
  const { actions } = parsed.data;
  const signal = within(timeoutMs, request.signal);
  const rights: readonly Right[] = (await provider.rights?.(actions, signal)) ?? actions.map(() => 'yes');
  return Response.json({ rights }, { headers: { 'cache-control': 'no-store' } });
}
