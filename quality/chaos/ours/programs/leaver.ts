/** Ends as Next does at SIGTERM, at once, while what is to be closed takes a while. */
import { setTimeout as delay } from 'node:timers/promises';
import { endInOrder } from '@/lib/server/process/shutdown';

endInOrder(async (signal) => {
  await delay(200);
  console.log(`closed for ${signal}`);
}, process);
const alive = setInterval(() => {}, 60_000);
process.on('SIGTERM', () => {
  clearInterval(alive);
  console.log('exit asked for');
  process.exit(143);
});
console.log('ready');
