/** `lib/server/entry/request-guard.ts` for Next, and what a page needs of it. */
import { type NextRequest, NextResponse } from 'next/server';
import { type Passage, pass } from '@/lib/server/entry/request-guard';

function passOn(request: NextRequest, { nonce, headers: { 'content-security-policy': policy } }: Passage) {
  const { pathname, search } = request.nextUrl;
  const headers = new Headers(request.headers);
  // Next reads the nonce from here, the layout from there.
  headers.set('content-security-policy', policy);
  headers.set('x-nonce', nonce);
  // A sign-in leads back to here.
  headers.set('x-signalbox-address', pathname + search);
  // An embed's layout needs the address's theme and language, and does not get the address.
  if (pathname.startsWith('/embed/')) headers.set('x-embed-query', search);
  return NextResponse.next({ request: { headers } });
}

export async function proxy(request: NextRequest): Promise<Response> {
  const passage = await pass(request);
  const response = passage.refusal ?? passOn(request, passage);
  for (const [name, value] of Object.entries(passage.headers)) response.headers.set(name, value);
  return response;
}

export const config = { matcher: '/((?!_next/static).*)' };
