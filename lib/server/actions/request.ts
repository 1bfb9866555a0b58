/** The body of an action request: a plan or an apply. */
import { z } from 'zod';
import { reasonLengthMax, reasonRequired } from '@/lib/domain/actions/action';
import { expectSchema } from '@/lib/domain/actions/expect';
import { actionSchema } from '@/lib/domain/actions/schema';
import type { Problem } from '@/lib/domain/problem';

/** A prune of 500 semaphores sends up to 400 bytes for each, in the action and the expectation. */
export const bodyBytesMax = 256 * 1024;

const reason = z.string().trim().max(reasonLengthMax);
/** `expect`: its form, which only the document of the API knows more of. */
export const requestWith = <E extends z.core.$ZodType>(expect: E) =>
  z.discriminatedUnion('mode', [
    z.strictObject({
      mode: z.literal('plan'),
      action: actionSchema,
      reason: reason.default(''),
      expect: z.optional(expect),
    }),
    z.strictObject({
      mode: z.literal('apply'),
      action: actionSchema,
      reason: reason.default(''),
      expect,
    }),
  ]);
export const requestSchema = requestWith(expectSchema);

export type ActionRequest = z.infer<typeof requestSchema>;

/** The request, or the reason why it is not understood. */
export function parseRequest(body: unknown): ActionRequest | Problem {
  const parsed = requestSchema.safeParse(body);
  if (parsed.success) {
    const { mode, action, reason } = parsed.data;
    if (mode === 'plan' || reason !== '' || !reasonRequired(action)) return parsed.data;
    return { code: 'invalid', why: { code: 'reason-needed', facts: {} } };
  }
  const issue = parsed.error.issues[0];
  const where = issue === undefined || issue.path.length === 0 ? null : issue.path.join('.');
  return { code: 'invalid', why: { code: 'request-not-understood', facts: { where } } };
}

/** A member of a body that may be any JSON. */
export const memberOf = (body: unknown, name: string): unknown =>
  typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined;

/** The readable parts of a refused request. They are only its sender's claim. */
export function refusedAction(body: unknown) {
  const action = actionSchema.safeParse(memberOf(body, 'action'));
  const parsedReason = reason.safeParse(memberOf(body, 'reason'));
  return {
    action: action.success ? action.data : null,
    reason: parsedReason.success ? parsedReason.data : '',
  };
}
