/**
 * The `consul` package as far as we use it. Its own types miss or misname most of that: sessions on rows, exact
 * flags, contexts, consistency, the shape of a transaction's result.
 */

/** What the package takes: its own options, `ctx` and `timeout` among them. */
export type Request = Record<string, unknown>;
export type Call = (request: Request) => Promise<unknown>;

/** The part of a `Consul` object that `client.ts` calls. */
export interface Package {
  readonly kv: { get: Call; set: Call; del: Call };
  readonly session: { list: Call; info: Call; create: Call; renew: Call; destroy: Call };
  readonly catalog: { node: { list: Call } };
  readonly health: { state: Call };
  readonly agent: { self: Call };
  readonly status: { leader: Call };
  readonly transaction: { create(ops: object[], request: Request): Promise<unknown> };
  destroy(): void;
}
