/**
 * What stands before everything but static files: which name, address and method are answered at all, and the headers that
 * every answer carries. The API checks name and address once more by itself (`lib/server/entry.ts`).
 */
import { randomBytes } from 'node:crypto';
import { type NextRequest, NextResponse } from 'next/server';
import { frameAncestors } from '@/lib/server/embed-frame';
import { type Env, readEnv } from '@/lib/server/env';
import { answering, HttpProblem, requireSoundAddress } from '@/lib/server/http';
import { methodsOf } from '@/lib/server/methods';
import { contentPolicy, headersOf } from '@/lib/server/policy';

const development = process.env.NODE_ENV === 'development';

let read: Env | null = null;
/** Read when it is first needed: the build loads this file in an environment of its own. */
function environment(): Env {
  read ??= readEnv(process.env);
  return read;
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

/** People reach us by https: the operator said so, or the proxy in front of us does. Over http it has no effect. */
function isSecure(request: NextRequest, env: Env): boolean {
  if (env.url !== null) return env.url.protocol === 'https:';
  return env.proxy.addresses.length > 0 && request.headers.get('x-forwarded-proto') === 'https';
}

export async function proxy(request: NextRequest): Promise<Response> {
  const env = environment();
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
    return NextResponse.next({ request: { headers } });
  });
  response.headers.set('content-security-policy', policy);
  for (const [name, value] of Object.entries(headersOf({ embed, secure: isSecure(request, env) })))
    response.headers.set(name, value);
  return response;
}

export const config = { matcher: '/((?!_next/static).*)' };
