/** Share links and signed tokens on the wire: `/api/v1/grants`. */
import { z } from 'zod';
import type { GrantCause, GrantState, Scope, ShownGrant } from '@/lib/domain/sharing/grant';
import { scopeSchema } from '@/lib/domain/sharing/grant-scope';
import { instant, object, orNull, text, word } from './schema-exact';
import { identity } from './schema-person';

const scope = scopeSchema.describe(
  'What it shows: a board of everything below a prefix, one lock, or one semaphore.',
) as z.ZodType<Scope>;

const state = word<GrantState>({ active: true, paused: true, ended: true, revoked: true });

const cause = word<GrantCause>({
  'no-token': true,
  unreadable: true,
  'token-gone': true,
  'server-narrow': true,
}).describe(
  'Why it is paused or has ended, where nobody wanted that. `no-token`: the token of its maker is not kept. `unreadable`: it is sealed with a key that this server does not have. `token-gone`: Consul has forgotten it. `server-narrow`: the server’s own token may not read everything. The first two end when its maker resumes it.',
);

export const grant = object<ShownGrant>()({
  id: text,
  scope,
  madeBy: identity,
  madeAtMs: instant,
  endsAtMs: orNull(instant),
  pausedAtMs: orNull(instant),
  revokedAtMs: orNull(instant),
  usedAtMs: orNull(instant).describe('To the minute.'),
  tokenEndsAtMs: orNull(instant).describe('When Consul will forget the token of its maker, where it tells.'),
  lostAtMs: orNull(instant).describe('When Consul was found to have forgotten it.'),
  state,
  cause: orNull(cause),
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
