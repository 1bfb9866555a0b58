/** Parses Consul's answers about a token, its owner and its rights. Consul's words end here, as in `wire.ts`. */
import { z } from 'zod';

export interface TokenRow {
  /** The public name of the token. */
  readonly accessorId: string;
  readonly description: string;
  /** Names of policies and roles, for display only: Consul decides what they allow. */
  readonly grants: readonly string[];
  /** Tokens with equal `rights` have the same rights. */
  readonly rights: string;
  /** Epoch milliseconds; `null`: no expiry. */
  readonly expiresAtMs: number | null;
}

const named = z.array(z.object({ ID: z.string().nullish(), Name: z.string().nullish() })).nullish();
const identities = z.array(z.unknown()).nullish();

export const tokenSchema = z
  .object({
    AccessorID: z.string().min(1),
    Description: z.string().nullish(),
    Policies: named,
    Roles: named,
    ServiceIdentities: identities,
    NodeIdentities: identities,
    TemplatedPolicies: identities,
    Namespace: z.string().nullish(),
    Partition: z.string().nullish(),
    Legacy: z.boolean().nullish(),
    Rules: z.string().nullish(),
    ExpirationTime: z.string().nullish(),
  })
  .transform(({ AccessorID, Description, Policies, Roles, ExpirationTime, ...others }): TokenRow => {
    const expiresAtMs = Date.parse(ExpirationTime ?? '');
    // A policy without an id does not show what it allows.
    const idsOf = (links: typeof Policies) => (links ?? []).map(({ ID }) => ID || AccessorID).sort();
    const { ServiceIdentities, NodeIdentities, TemplatedPolicies } = others;
    const linked = [Policies, Roles, ServiceIdentities, NodeIdentities, TemplatedPolicies];
    const alone = linked.some((links) => (links ?? []).length > 0) ? null : AccessorID;
    return {
      accessorId: AccessorID,
      description: Description ?? '',
      grants: [...(Policies ?? []), ...(Roles ?? [])].flatMap(({ Name }) => Name ?? []),
      rights: JSON.stringify([idsOf(Policies), idsOf(Roles), others, alone]),
      expiresAtMs: Number.isNaN(expiresAtMs) ? null : expiresAtMs,
    };
  });

/**
 * A name that no rule mentions. Its answer holds for every name without a narrower rule; `key ""` is a rule about ''
 * alone.
 */
export const anyName = '00000000-0000-0000-0000-000000000000';

/** One question to Consul's rules. */
export interface Ask {
  readonly resource: 'key' | 'session' | 'node' | 'service' | 'acl';
  readonly access: 'read' | 'write';
  /** The key, node or service; '' for ACL rules. */
  readonly segment: string;
}

/** Most questions in one call (`ACLAuthorize` in agent/acl_endpoint.go). */
export const asksMax = 64;

export const asksBody = (asks: readonly Ask[]) =>
  asks.map(({ resource, access, segment }) => ({ Resource: resource, Access: access, Segment: segment }));

const answerSchema = z.array(
  // Consul omits an empty segment.
  z.object({ Resource: z.string(), Access: z.string(), Segment: z.string().default(''), Allow: z.boolean() }),
);

/** The answers in the order of the questions. Throws if they do not match. */
export function readAnswers(asks: readonly Ask[], body: unknown): boolean[] {
  const answers = answerSchema.parse(body);
  if (answers.length !== asks.length) throw new Error('Consul answered another number of questions.');
  return asks.map((ask, i) => {
    const answer = answers[i];
    if (answer?.Resource !== ask.resource || answer.Access !== ask.access || answer.Segment !== ask.segment)
      throw new Error('Consul answered other questions.');
    return answer.Allow;
  });
}
