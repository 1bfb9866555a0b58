/**
 * `POST /api/v1/rights`: the caller's right to each action according to the backend, and the rules that the action
 * needs.
 */

import { z } from 'zod';
import { actionSchema } from '@/lib/domain/actions/schema';
import type { RightTo } from '@/lib/domain/identity';
import { ProblemError } from '@/lib/domain/problem';
import type { Provider } from '@/lib/domain/seam/provider';
import { spokenNeeds } from '@/lib/server/http/english';
import { readJsonBody } from '@/lib/server/http/http';
import { requireSource } from '@/lib/server/http/known-source';
import type { Hub } from '@/lib/server/live/hub';
import { within } from '@/lib/server/process/deadline';

const bodyBytesMax = 256 * 1024;
const actionsMax = 64;
const timeoutMs = 5_000;
export const requestSchema = z.strictObject({ actions: z.array(actionSchema).min(1).max(actionsMax) });

/** A backend without rights refuses no action. The session's `writes` decides whether the person may act at all. */
export async function answerRights(
  request: Request,
  { provider, hub }: { readonly provider: Pick<Provider, 'rights'>; readonly hub: Pick<Hub, 'snapshot'> },
): Promise<Response> {
  const parsed = requestSchema.safeParse(await readJsonBody(request, bodyBytesMax));
  if (!parsed.success)
    throw new ProblemError({
      code: 'invalid',
      why: { code: 'request-not-understood', facts: { where: 'actions' } },
    });
  const { actions } = parsed.data;
  for (const { source } of actions) requireSource(source, hub.snapshot().source);
  const signal = within(timeoutMs, request.signal);
  const all: readonly RightTo[] =
    (await provider.rights?.(actions, signal)) ?? actions.map(() => ({ right: 'yes', needs: [] }));
  const rights = all.map(({ right }) => right);
  const needs = all.map((one) => spokenNeeds(one.needs));
  return Response.json({ rights, needs }, { headers: { 'cache-control': 'no-store' } });
}
