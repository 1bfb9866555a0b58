/** Starts what `instrumentation.ts` starts, with a server as `server.js` makes it and nothing of Next behind it. */
import { createServer } from 'node:http';
import { startServer } from '@/lib/server/entry/start';

const server = createServer();
Object.assign(globalThis, {
  [Symbol.for('signalbox.server')]: {
    server,
    answer: async () => {},
    close: async () => {},
    started: () => server.listen(0, '127.0.0.1', () => console.log('started')),
  },
});
await startServer({});
// As Next does where an upload breaks off, or a page fails.
console.error(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
console.error(' ⨯', new Error('of the framework'));
