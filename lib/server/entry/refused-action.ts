/** Who was refused before their request to act was looked at is on record with what they asked for, as far as it can be read. */
import type { Problem } from '@/lib/domain/problem';
import { bodyBytesMax, memberOf, refusedAction } from '@/lib/server/actions/request';
import type { OnRefused } from '@/lib/server/entry/entry';
import { readJsonBody } from '@/lib/server/http/http';
import { type Caller, tokensIn } from '@/lib/server/identity/caller';
import { createDiscreet } from '@/lib/server/process/scrub';
import type { Runtime } from '@/lib/server/runtime';

/** How long the body of a refused request is waited for. */
const refusedBodyMs = 2_000;

/**
 * The bodies of a loop are not read: of somebody beyond a budget, and of a stranger beyond the one for this, who was turned away
 * before they were counted.
 */
async function isWorthReading(
  { why }: Problem,
  caller: Caller | null,
  address: string | null,
  { limits }: Pick<Runtime, 'limits'>,
): Promise<boolean> {
  if (why?.code === 'too-often') return false;
  if (caller !== null) return true;
  return limits.take('refused', { identity: { kind: 'anonymous' }, address }).then(
    () => true,
    () => false,
  );
}

/**
 * Puts on record that somebody was refused before their request was looked at: by the gate, by a budget, by who they
 * are. A request to plan is not on record, but for one that was not read.
 */
export function recordRefusal(request: Request): OnRefused {
  return async (problem, caller, present) => {
    const { arrivals, record, metrics } = present;
    const who = caller?.identity ?? { kind: 'anonymous' };
    const address = caller === null ? arrivals(request.headers).address : caller.address;
    if (!(await isWorthReading(problem, caller, address, present))) {
      record.refused({ who, address, action: null, reason: '', problem });
      return;
    }
    const late = new Promise<undefined>((resolve) => {
      setTimeout(resolve, refusedBodyMs, undefined).unref();
    });
    const body = await Promise.race([readJsonBody(request, bodyBytesMax).catch(() => undefined), late]);
    if (memberOf(body, 'mode') === 'plan') return;
    const { action, reason } = refusedAction(body);
    // Of somebody who was not even known, the tokens that came with the request are all there is to go by.
    const discreet = caller?.discreet ?? createDiscreet(await tokensIn(request.headers, present));
    record.refused(discreet({ who, address, action, reason, problem }));
    if (action !== null) metrics.acted(action.type, 'apply', problem.code);
  };
}
