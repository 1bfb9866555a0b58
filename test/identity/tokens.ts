/** Tokens of a real agent with ACLs, made and ended as an operator does it. */
import { randomUUID } from 'node:crypto';
import type { Backend } from '@/lib/domain/seam/backend';
import { createConsulBackend } from '@/lib/providers/consul/backend';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import type { TestConsul } from '@/test/support/consul';

export interface Token {
  readonly secret: string;
  readonly accessor: string;
}

async function call(
  consul: TestConsul,
  method: 'GET' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
): Promise<unknown> {
  const response = await fetch(`http://${consul.address}/v1/acl/${path}`, {
    method,
    headers: { 'x-consul-token': consul.token ?? '' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return response.json();
}

/** A new token with these rules. `ttl`: as `60s`, the least that Consul takes. `secret`: one that another Consul knows, too. */
export async function makeToken(
  consul: TestConsul,
  rules: string,
  { description = '', ttl, secret }: { description?: string; ttl?: string; secret?: string } = {},
): Promise<Token> {
  const Name = `policy-${randomUUID().slice(0, 8)}`;
  const { ID } = (await call(consul, 'PUT', 'policy', { Name, Rules: rules })) as { ID: string };
  const made = (await call(consul, 'PUT', 'token', {
    Description: description,
    Policies: [{ ID }],
    ...(ttl === undefined ? {} : { ExpirationTTL: ttl }),
    ...(secret === undefined ? {} : { SecretID: secret }),
  })) as { AccessorID: string; SecretID: string };
  return { secret: made.SecretID, accessor: made.AccessorID };
}

/** From now on the token may do what these rules say, and nothing else. */
export async function rule(consul: TestConsul, { accessor }: Token, rules: string): Promise<void> {
  const Name = `policy-${randomUUID().slice(0, 8)}`;
  const { ID } = (await call(consul, 'PUT', 'policy', { Name, Rules: rules })) as { ID: string };
  await call(consul, 'PUT', `token/${accessor}`, { AccessorID: accessor, Policies: [{ ID }] });
}

/** Rewrites the rules of the token's own policies: to Consul it is the same token with the same policy. */
export async function rewrite(consul: TestConsul, { accessor }: Token, rules: string): Promise<void> {
  const token = (await call(consul, 'GET', `token/${accessor}`)) as {
    Policies: { ID: string; Name: string }[];
  };
  for (const { ID, Name } of token.Policies)
    await call(consul, 'PUT', `policy/${ID}`, { ID, Name, Rules: rules });
}

/** The agent forgets the token. */
export async function revoke(consul: TestConsul, { accessor }: Token): Promise<void> {
  await call(consul, 'DELETE', `token/${accessor}`);
}

/** The backend as the server has it; `token`: the server's own; `follows`: the agent's log, for renewals. Close it when done. */
export function backendOn(
  consul: Pick<TestConsul, 'address'>,
  {
    token = null,
    prefixes = [''],
    follows = false,
  }: { token?: string | null; prefixes?: readonly string[]; follows?: boolean } = {},
): Backend {
  const settings = { ...consulSettings({ CONSUL_HTTP_ADDR: consul.address }), token };
  return createConsulBackend({
    settings,
    renewalAgents: follows ? [settings] : [],
    prefixes,
    now: Date.now,
  });
}

/** The rights to see one prefix: its keys, and the sessions of every node. */
export const readerOf = (prefix: string) =>
  `key_prefix "${prefix}" { policy = "read" } session_prefix "" { policy = "read" } node_prefix "" { policy = "read" }`;
/** And to act on it. */
export const operatorOf = (prefix: string) =>
  `key_prefix "${prefix}" { policy = "write" } session_prefix "" { policy = "write" } node_prefix "" { policy = "read" }`;
