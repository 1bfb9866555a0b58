/** Migrates the store of `STORE` at the moment `AT_MS`, and ends. */
import { setTimeout as delay } from 'node:timers/promises';
import { openStore } from '@/lib/server/store/store';

const store = openStore(JSON.parse(process.env.STORE ?? ''));
await delay(Number(process.env.AT_MS) - Date.now());
await store.migrate();
await store.close();
