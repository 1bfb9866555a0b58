/** Records actions that were refused before their request was read, with as much of the body as is readable. */
import type { Problem } from '@/lib/domain/problem';
import { bodyBytesMax, memberOf, refusedAction } from '@/lib/server/actions/request';
import type { OnRefused } from '@/lib/server/entry/entry';
import { readJsonBody } from '@/lib/server/http/http';
import { type Caller, tokensIn } from '@/lib/server/identity/caller';
import { createDiscreet } from '@/lib/server/process/scrub';
import type { Runtime } from '@/lib/server/runtime';

const refusedBodyMs = 2_000;

/**
 * Skips the bodies of a loop. Bodies of strangers beyond the budget `refused` are skipped too, because strangers are
 * refused before they are counted.
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

/** A plan request has no record, unless its body was not read. */
export function recordRefusal(request: Request): OnRefused {
  return async (problem, caller, present) => {
    const { arrivals, record, metrics } = present;
    const who = caller?.identity ?? { kind: 'anonymous' };
    const address = caller === null ? arrivals(request.headers).address : caller.address;
    if (!(await isWorthReading(problem, caller, address, present))) {
      record.refused({ who, address, action: null, reason: '', problem });
      return;
    }
    const timedOut = new Promise<undefined>((resolve) => {
      setTimeout(resolve, refusedBodyMs, undefined).unref();
    });
    const body = await Promise.race([readJsonBody(request, bodyBytesMax).catch(() => undefined), timedOut]);
    if (memberOf(body, 'mode') === 'plan') return;
    const { action, reason } = refusedAction(body);
    // For an unknown caller, only the tokens in the request can be removed.
    const discreet = caller?.discreet ?? createDiscreet(await tokensIn(request.headers, present));
    record.refused(discreet({ who, address, action, reason, problem }));
    if (action !== null) metrics.acted(action.type, 'apply', problem.code);
  };
}
