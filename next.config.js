/** @type {import('next').NextConfig} */
export default {
  poweredByHeader: false,
  reactStrictMode: true,
  // They reach for Node or for a native part at run time in ways that a bundler breaks: they are loaded as they are.
  serverExternalPackages: ['consul', 'libsql', 'pg', 'pino'],
};
