/**
 * The checks before everything but static files: host name, address and method, and the headers of every answer. Both
 * entrances use it: Next by `proxy.ts`, and streams, which do without Next, by `handover.ts`. The API checks name and
 * address once more (`entry.ts`).
 */
import { randomBytes } from 'node:crypto';
import { type Arrivals, createArrivals } from '@/lib/server/http/arrival';
import { answering, HttpProblem, requireSoundAddress } from '@/lib/server/http/http';
import { methodsOf } from '@/lib/server/http/methods';
import { contentPolicy, headersOf } from '@/lib/server/http/policy';
import { type Env, readEnv } from '@/lib/server/process/env';
import { frameAncestors } from '@/lib/server/sharing/frame';

const development = process.env.NODE_ENV === 'development';

export interface Passage {
  /** The answer that ends the request; `null`: it may pass. */
  readonly refusal: Response | null;
  /** The nonce of this answer, for the scripts of a page. */
  readonly nonce: string;
  /** Headers of every answer, including refusals. */
  readonly headers: Readonly<Record<string, string>> & { readonly 'content-security-policy': string };
}

interface Front {
  readonly env: Env;
  readonly arrivals: Arrivals;
}
let cached: Front | null = null;
/** Made on first use: the build loads this file in an environment of its own. */
function front(): Front {
  if (cached !== null) return cached;
  const env = readEnv(process.env);
  cached = { env, arrivals: createArrivals(env) };
  return cached;
}

/** Machines call these by any address of the server; the answers reveal nothing from Consul. */
const anyHostPaths = new Set(['/healthz', '/readyz', '/metrics']);

type GuardedRequest = Pick<Request, 'url' | 'method' | 'headers'>;

function requireAnswerable(request: GuardedRequest, pathname: string, env: Env): void {
  requireSoundAddress(request, anyHostPaths.has(pathname) ? { url: null, loopback: false } : env);
  const allowed = methodsOf(pathname);
  if (allowed === null || allowed.includes(request.method)) return;
  const list = allowed.join(', ');
  throw new HttpProblem({ code: 'invalid', why: { code: 'wrong-method', facts: { allowed: list } } }, 405, {
    allow: list,
  });
}

/** Decides if a request may pass, and makes the headers of its answer in any case. */
export async function pass(request: GuardedRequest): Promise<Passage> {
  const { env, arrivals } = front();
  const { pathname } = new URL(request.url);
  const { secure } = arrivals(request.headers);
  const embed = pathname.startsWith('/embed/');
  const nonce = randomBytes(18).toString('base64');
  const ancestors = embed ? await frameAncestors(request) : "'none'";
  const policy = contentPolicy({ nonce, development, ancestors });
  const answer = await answering(async () => {
    requireAnswerable(request, pathname, env);
    return new Response();
  });
  return {
    refusal: answer.ok ? null : answer,
    nonce,
    headers: { 'content-security-policy': policy, ...headersOf({ embed, secure }) },
  };
}
