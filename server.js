/**
 * The one process of the console: an HTTP server of Node's with Next behind it, as in Next's documentation of custom
 * servers. `npm start`, `npm run dev`, the tests and the container all run this file, in a folder with a build:
 *
 *   HOSTNAME=0.0.0.0 PORT=3000 node server.js [--dev]
 *
 * Plain Node, because Next compiles only what it loads itself. The listener is `lib/server/entry/listener.ts`, which
 * `instrumentation.ts` adds to the server.
 */
import { createServer } from 'node:http';

const dev = process.argv.includes('--dev');
// Next and React read it as they are loaded.
Object.assign(process.env, { NODE_ENV: dev ? 'development' : 'production' });
const hostname = process.env.HOSTNAME || '0.0.0.0';
const port = Number(process.env.PORT || 3000);

const { default: next } = await import('next');
const server = createServer();
// Next takes every `Upgrade` request of the server that it is given, past all guards, and leaves the connection open for
// good. Pages in development reload by it; otherwise it is given a server that nobody reaches, and ours answers such a
// request as any other.
const app = next({ dev, dir: process.cwd(), hostname, port, httpServer: dev ? server : createServer() });

/** `lib/server/entry/start.ts` reads this. Next loads several copies of a module, so they share nothing but a symbol. */
const started = new Promise((resolve) => {
  Object.assign(globalThis, {
    [Symbol.for('signalbox.server')]: {
      server,
      answer: app.getRequestHandler(),
      close: () => app.close(),
      started: resolve,
    },
  });
});
await app.prepare();
await started;
server.on('error', (error) => {
  console.error(`Signalbox cannot listen on ${hostname}, port ${port}: ${error.message}`);
  process.exit(1);
});
// By default 511 connections wait until this process accepts them. When a replica is lost, thousands of pages come back
// at once; the system would drop the rest, whose clients try again after 1, 3, 7 and 15 s. The system lowers this number
// to its own limit (`net.core.somaxconn`).
server.listen({ port, host: hostname, backlog: 4_096 });
