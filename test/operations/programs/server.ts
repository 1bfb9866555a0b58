/** Starts what `instrumentation.ts` starts, without Next. Reports its start, and ends with SIGTERM. */
import { startServer } from '@/lib/server/entry/start';

await startServer({});
// As Next does where an upload breaks off, or a page fails.
console.error(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
console.error(' ⨯', new Error('of the framework'));
console.log('started');
const alive = setInterval(() => {}, 60_000);
process.once('SIGTERM', () => clearInterval(alive));
