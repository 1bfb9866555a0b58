/**
 * The form of each action on the wire. Apart from the descriptors, which every screen loads: zod is 19 kB of script,
 * and a page reads no requests.
 */
import { z } from 'zod/mini';
import { firstSource, sourceIdPattern } from '@/lib/domain/source';
import { limitMax, prunePrefixesMax } from './semaphore';

/** Longest key or prefix accepted, in characters. Consul itself refuses keys beyond a few kilobytes of URL. */
export const keyLengthMax = 2048;

/**
 * Whole characters only. JSON can escape half of one (`\ud800`), which no address can hold: a call with it
 * would fail before it is sent.
 */
export const isWhole = (text: string): boolean => !/\p{Surrogate}/u.test(text);

export const key = z.string().check(z.minLength(1), z.maxLength(keyLengthMax), z.refine(isWhole));
export const sessionId = z.string().check(z.minLength(1), z.maxLength(128), z.refine(isWhole));

/** Absent on the wire: the first. */
const source = z._default(z.string().check(z.regex(sourceIdPattern)), firstSource);

const form = <T extends string, F extends z.core.$ZodLooseShape>(type: T, fields: F) =>
  z.strictObject({ type: z.literal(type), source, ...fields });

export const actionSchema = z.discriminatedUnion('type', [
  form('lock.release', {
    key,
    how: z.enum(['destroy-session', 'hand-over']),
    // The id of one of several holders. Absent: the only one.
    holder: z.optional(sessionId),
  }),
  form('lock.remove-waiter', { key, sessionId }),
  form('lock.ask', { key, sessionId }),
  form('lock.wake', { key }),
  form('semaphore.remove-waiter', { prefix: key, sessionId }),
  form('semaphore.return-permits', {
    prefix: key,
    permits: z.int().check(z.minimum(1), z.maximum(limitMax)),
  }),
  form('semaphore.evict', { prefix: key, sessionId, how: z.enum(['destroy-session', 'slot-only']) }),
  form('semaphore.prune', {
    prefixes: z.array(key).check(z.minLength(1), z.maxLength(prunePrefixesMax)),
  }),
  form('semaphore.resize', { prefix: key, limit: z.int().check(z.minimum(1), z.maximum(limitMax)) }),
  form('session.destroy', { sessionId }),
  form('lock.delete', { key }),
  form('semaphore.delete', { prefix: key }),
]);

export type Action = z.infer<typeof actionSchema>;
export type ActionType = Action['type'];
export type ActionOf<T extends ActionType> = Extract<Action, { readonly type: T }>;
export type ActionRequest = z.input<typeof actionSchema>;
