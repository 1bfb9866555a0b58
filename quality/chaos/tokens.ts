/** Consul's callers in a run: Signalbox itself, several people, and the work. With ACLs on, each has its own token. */
import { until } from '@/test/support/until';

export interface Tokens {
  /** Reads and writes everything, for the work, the reader and one person. */
  readonly management: string;
  /** Signalbox's own token, which serves anonymous callers, too. */
  readonly console: string;
  /** Reads everything, and writes the entries of the deeds. */
  readonly editor: string;
  /** Reads only the lock that beats. */
  readonly narrow: string;
}

export const newTokens = (management: string): Tokens => ({
  management,
  console: crypto.randomUUID(),
  editor: crypto.randomUUID(),
  narrow: crypto.randomUUID(),
});

const rules: Readonly<Record<Exclude<keyof Tokens, 'management'>, string>> = {
  console: ['key', 'session', 'node', 'agent']
    .map((what) => `${what}_prefix "" { policy = "write" }`)
    .join('\n'),
  editor: `key_prefix "" { policy = "read" }
    key_prefix "chaos/" { policy = "write" }
    session_prefix "" { policy = "write" }
    node_prefix "" { policy = "read" }`,
  narrow: 'key_prefix "chaos/pulse" { policy = "read" }',
};

/**
 * Calls one server after the other with the management token, and returns the first answer. Throws the failure of the
 * last one.
 */
export async function callConsul(
  addresses: readonly string[],
  token: string,
  { method = 'PUT', path, body }: { method?: string; path: string; body?: string },
): Promise<string> {
  let last: unknown;
  for (const address of addresses)
    try {
      const response = await fetch(`http://${address}/v1/${path}`, {
        method,
        headers: { 'x-consul-token': token },
        signal: AbortSignal.timeout(10_000),
        ...(body === undefined ? {} : { body }),
      });
      const text = await response.text();
      if (response.ok) return text;
      last = new Error(`${method} ${path}: ${response.status} ${text}`);
    } catch (error) {
      last = error;
    }
  throw last;
}

/** Makes the tokens, and keeps those that exist. */
export async function grantAll(addresses: readonly string[], tokens: Tokens): Promise<void> {
  const put = (path: string, body: object) =>
    callConsul(addresses, tokens.management, { path: `acl/${path}`, body: JSON.stringify(body) }).catch(
      (error: unknown) => {
        if (!/already exists|already in use/.test(String(error))) throw error;
      },
    );
  // A newly elected server has yet to make its management token. Another must first learn that all servers know ACLs
  // ("legacy mode", before 1.11).
  const patientPut = (path: string, body: object) =>
    until(() => put(path, body).then(() => true), { what: `Consul to take ${path}`, timeoutMs: 30_000 });
  for (const name of ['console', 'editor', 'narrow'] as const) {
    await patientPut('policy', { Name: `chaos-${name}`, Rules: rules[name] });
    await patientPut('token', { SecretID: tokens[name], Policies: [{ Name: `chaos-${name}` }] });
  }
}
