/** @type {import('next').NextConfig} */
export default {
  poweredByHeader: false,
  reactStrictMode: true,
  // Both reach for Node at run time in ways that a bundler breaks: they are loaded as they are.
  serverExternalPackages: ['consul', 'pino'],
};
