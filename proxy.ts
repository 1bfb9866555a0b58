/**
 * What stands before everything but static files: which name, address and method are answered at all, and the headers that
 * every answer carries. The API checks name and address once more by itself (`lib/server/entry.ts`).
 */
import { randomBytes } from 'node:crypto';
import { type NextRequest, NextResponse } from 'next/server';
import { type Arrivals, createArrivals } from '@/lib/server/arrival';
import { frameAncestors } from '@/lib/server/embed-frame';
import { type Env, readEnv } from '@/lib/server/env';
import { answering, HttpProblem, requireSoundAddress } from '@/lib/server/http';
import { methodsOf } from '@/lib/server/methods';
import { contentPolicy, headersOf } from '@/lib/server/policy';

const development = process.env.NODE_ENV === 'development';

interface Front {
  readonly env: Env;
  readonly arrivals: Arrivals;
}
let made: Front | null = null;
/** Made when it is first needed: the build loads this file in an environment of its own. */
function front(): Front {
  if (made !== null) return made;
  const env = readEnv(process.env);
  made = { env, arrivals: createArrivals(env) };
  return made;
}

/** Asked by machines that know this server by whatever address they like; they say nothing of what is in view. */
const anyName = new Set(['/healthz', '/readyz', '/metrics']);

function requireAnswerable(request: NextRequest, env: Env): void {
  const { pathname } = request.nextUrl;
  requireSoundAddress(request, anyName.has(pathname) ? { url: null, loopback: false } : env);
  const allowed = methodsOf(pathname);
  if (allowed === null || allowed.includes(request.method)) return;
  const list = allowed.join(', ');
  throw new HttpProblem({ code: 'invalid', why: { code: 'wrong-method', facts: { allowed: list } } }, 405, {
    allow: list,
  });
}

export async function proxy(request: NextRequest): Promise<Response> {
  const { env, arrivals } = front();
  const { secure } = arrivals(request.headers);
  const embed = request.nextUrl.pathname.startsWith('/embed/');
  const nonce = randomBytes(18).toString('base64');
  const ancestors = embed ? await frameAncestors(request) : "'none'";
  const policy = contentPolicy({ nonce, development, ancestors });
  const response = await answering(async () => {
    requireAnswerable(request, env);
    const headers = new Headers(request.headers);
    // Next reads the nonce from here, the layout from there.
    headers.set('content-security-policy', policy);
    headers.set('x-nonce', nonce);
    // Whoever has to sign in first is brought back to here.
    headers.set('x-signalbox-address', request.nextUrl.pathname + request.nextUrl.search);
    // The layout of an embed draws the theme and the language that the address says, and is not told the address.
    if (embed) headers.set('x-embed-query', request.nextUrl.search);
    return NextResponse.next({ request: { headers } });
  });
  response.headers.set('content-security-policy', policy);
  for (const [name, value] of Object.entries(headersOf({ embed, secure }))) response.headers.set(name, value);
  return response;
}

export const config = { matcher: '/((?!_next/static).*)' };
