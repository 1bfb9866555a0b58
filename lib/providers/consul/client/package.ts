/** The parts of the `consul` package in use. Its own types miss or misname most of them. */

import type { Agent } from 'node:http';
import { readBody } from './large-body';
import type { LongAnswer } from './long-answer';
import type { ConsulSettings } from './settings';
import { writeJson } from './wire';

export type PackageRequest = Record<string, unknown>;
export type Call = (request: PackageRequest) => Promise<unknown>;

export interface Package {
  readonly kv: { keys: Call; set: Call; del: Call };
  readonly session: { list: Call; info: Call; create: Call; renew: Call; destroy: Call };
  readonly catalog: { node: { list: Call }; service: { nodes: Call } };
  readonly health: { state: Call };
  readonly agent: { self: Call };
  readonly status: { leader: Call };
  readonly transaction: { create(ops: object[], request: PackageRequest): Promise<unknown> };
  _get(request: PackageRequest, ...steps: Step[]): Promise<unknown>;
  _post(request: PackageRequest, ...steps: Step[]): Promise<unknown>;
}

interface Pending {
  readonly err?: (Error & { response?: unknown }) | undefined;
  readonly res?: { readonly statusCode?: number; body?: unknown };
}
type Step = (pending: Pending, next: (error: false, failed?: Error, value?: unknown) => void) => void;

/** The last step of a call without a method: gives response and body, as the package's methods do. */
export const body: Step = (pending, next) => {
  if (pending.err === undefined) return next(false, undefined, [pending.res, pending.res?.body]);
  pending.err.response = pending.res;
  next(false, pending.err);
};

/** As `body`, but "not found" is an answer without a body. */
const bodyIfAny: Step = (pending, next) =>
  pending.res?.statusCode === 404 ? next(false, undefined, [pending.res, undefined]) : body(pending, next);

/** A read below `/kv`, with the options that `client.ts` gives. */
const kvRead = (
  { key, index, wait, consistent, stale, dc, ctx, timeout }: PackageRequest,
  query: Record<string, unknown>,
  token: string | null,
): PackageRequest => ({
  path: '/kv/{key}',
  params: { key },
  query: {
    ...query,
    ...(consistent === true ? { consistent: '1' } : {}),
    ...(stale === true ? { stale: '1' } : {}),
    ...(dc === undefined ? {} : { dc }),
    ...(index === undefined ? {} : { index, wait }),
  },
  headers: token === null ? {} : { 'x-consul-token': token },
  ctx,
  timeout,
});

/**
 * As `kv.get`, but leaves each value as Consul's text, and gives a large entry, too: `readBody` leaves it unread, and the
 * package's own method would find none in it.
 */
export const readEntry = (consul: Package, request: PackageRequest, token: string | null): Promise<unknown> =>
  consul._get({ name: 'kv.get', ...kvRead(request, {}, token) }, bodyIfAny);

/** All entries below a prefix, or their names. */
export type LongRead = 'kv list' | 'kv keys';

/** Reads below `/kv`, collects the answer in `into`, and gives its bytes; `undefined` for an empty one. */
export function readLongAnswer(
  into: LongAnswer,
  consul: Package,
  request: PackageRequest,
  what: LongRead,
  token: string | null,
): Promise<unknown> {
  const collected: Step = (pending, next) => {
    const { err, res } = pending;
    const bytes = into.bytes();
    // An error of the package with a status has its text here; one of the connection has half an answer.
    if (res !== undefined && bytes.length > 0 && (err === undefined || 'statusCode' in err))
      res.body = err === undefined ? bytes : Buffer.from(bytes);
    return what === 'kv list' ? bodyIfAny(pending, next) : body(pending, next);
  };
  const query = what === 'kv list' ? { recurse: 'true' } : { keys: 'true' };
  return consul._get({ name: what, ...kvRead(request, query, token), pipe: into.stream }, collected);
}

/** The token comes with each request (`client.ts`). */
function packageOptions(settings: ConsulSettings, agent: Agent): object {
  const { tls } = settings;
  return {
    host: settings.host.includes(':') ? `[${settings.host}]` : settings.host,
    port: settings.port,
    secure: settings.protocol === 'https',
    agent,
    ...(settings.socketPath === null ? {} : { socketPath: settings.socketPath }),
    ...(tls.ca === null ? {} : { ca: tls.ca }),
    ...(tls.cert === null ? {} : { cert: tls.cert }),
    ...(tls.key === null ? {} : { key: tls.key }),
    ...(tls.serverName === null ? {} : { servername: tls.serverName }),
    rejectUnauthorized: tls.verify,
    decoders: { 'application/json': readBody },
    encoders: { 'application/json': writeJson },
  };
}

/** The packages by sockets. They hold no token, because there may be a thousand tokens. */
const packages = new WeakMap<Agent, { readonly of: ConsulSettings; readonly made: Package }>();

const isSameServer = (a: ConsulSettings, b: ConsulSettings) =>
  (['protocol', 'host', 'port', 'socketPath', 'tls'] as const).every((name) => a[name] === b[name]);

export function packageOf(
  settings: ConsulSettings,
  agent: Agent,
  make: (options: object) => Package,
): Package {
  const known = packages.get(agent);
  if (known !== undefined && isSameServer(known.of, settings)) return known.made;
  const created = make(packageOptions(settings, agent));
  packages.set(agent, { of: { ...settings, token: null }, made: created });
  return created;
}
