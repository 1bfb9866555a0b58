/** Share links and signed tokens on the wire: `/api/v1/grants`. */
import { z } from 'zod';
import type { Grant, GrantState, Scope } from '@/lib/domain/grant';
import { scopeSchema } from '@/lib/domain/grant-scope';
import { instant, object, orNull, text, word } from './schema-exact';
import { identity } from './schema-person';

const scope = scopeSchema.describe(
  'What it shows: a board of everything below a prefix, one lock, or one semaphore.',
) as z.ZodType<Scope>;

const state = word<GrantState>({ active: true, paused: true, ended: true, revoked: true });

export const grant = object<Grant & { readonly state: GrantState }>()({
  id: text,
  scope,
  madeBy: identity,
  madeAtMs: instant,
  endsAtMs: orNull(instant),
  pausedAtMs: orNull(instant),
  revokedAtMs: orNull(instant),
  usedAtMs: orNull(instant).describe('To the minute.'),
  state,
}).describe('A share link. Its secret is told once, when it is made.');

export const grants = z.strictObject({
  whole: z.boolean().describe('These are everybody’s.'),
  tokens: z.boolean().describe('This server has a key to sign tokens with.'),
  base: z.string().nullable(),
  grants: z.array(grant),
});

const address = z.string().describe('Below `base`, or below the address that this server is asked at.');

export const newGrant = z.union([
  z.strictObject({ grant, secret: z.string(), base: z.string().nullable(), address }),
  z.strictObject({ token: z.string(), endsAtMs: z.number(), base: z.string().nullable(), address }),
]);

export const changedGrant = z.strictObject({ grant });
