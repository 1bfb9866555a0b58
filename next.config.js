import { randomUUID } from 'node:crypto';

/** Headers of static files, which are the same for everybody and hold nothing of anybody's. */
const publicFile = [
  // An embed in a sandboxed frame has no origin, so its scripts and fonts come from a foreign one.
  { key: 'access-control-allow-origin', value: '*' },
  { key: 'cross-origin-resource-policy', value: 'cross-origin' },
  { key: 'x-content-type-options', value: 'nosniff' },
  { key: 'referrer-policy', value: 'no-referrer' },
  // A worker obeys the policy of its script's answer; as a page of its own nothing of it may run.
  {
    key: 'content-security-policy',
    value:
      "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  },
  // Of a page that embeds nothing from elsewhere, a worker has to promise the same.
  { key: 'cross-origin-embedder-policy', value: 'require-corp' },
];

/** @type {import('next').NextConfig} */
export default {
  poweredByHeader: false,
  reactStrictMode: true,
  // A folder with only the packages that the server loads (scripts/standalone.mjs).
  ...(process.env.SIGNALBOX_BUILD === 'standalone' ? { output: 'standalone' } : {}),
  // They reach for Node or for a native part at run time in ways that a bundler breaks: they are loaded as they are.
  serverExternalPackages: ['consul', 'libsql', 'pg', 'pino'],
  // Stands in the code as it is built (`lib/domain/build.ts`).
  env: { SIGNALBOX_BUILD_ID: randomUUID().slice(0, 8) },
  // There is no picture to scale, and an address that fetches what another address names is better not there.
  images: { unoptimized: true },
  // `proxy.ts` makes Next keep a copy of each body; none of ours is larger (`bodyBytesMax`).
  experimental: { proxyClientMaxBodySize: '512kb' },
  headers: async () =>
    process.env.NODE_ENV === 'production' ? [{ source: '/_next/static/:path*', headers: publicFile }] : [],
};
