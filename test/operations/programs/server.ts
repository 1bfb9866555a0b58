/** What `instrumentation.ts` starts, without Next around it. Says that it has started, and ends with SIGTERM. */
import { startServer } from '@/lib/server/start';

startServer({});
console.log('started');
const alive = setInterval(() => {}, 60_000);
process.once('SIGTERM', () => clearInterval(alive));
