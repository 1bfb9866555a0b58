/**
 * Headers that every answer carries. The page runs our own scripts only, talks to this server only and is never
 * framed: a click on a hidden "evict" would be as good as an attack.
 */
import { NextResponse } from 'next/server';

const development = process.env.NODE_ENV === 'development';

const policy = [
  "default-src 'self'",
  // Next puts its data into inline scripts; development evaluates modules as it loads them.
  `script-src 'self' 'unsafe-inline'${development ? " 'unsafe-eval'" : ''}`,
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  `connect-src 'self'${development ? ' ws:' : ''}`,
  "worker-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const headers: Readonly<Record<string, string>> = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  'cross-origin-opener-policy': 'same-origin',
};

export function proxy(): NextResponse {
  const response = NextResponse.next();
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

export const config = { matcher: '/((?!_next/static).*)' };
