/** Reports that it is ready, migrates the store of `STORE` at SIGTERM, and ends. */
import { openStore } from '@/lib/server/store/store';

const store = openStore(JSON.parse(process.env.STORE ?? ''));
const alive = setInterval(() => {}, 60_000);
process.once('SIGTERM', async () => {
  clearInterval(alive);
  await store.migrate();
  await store.close();
});
console.log('ready');
