/**
 * A minimal client of Redis, for comparison: `CLIENT TRACKING` reports the written key, and it reads that key again. On
 * `read`, it reads every key of the prefix. It runs in its own process, so that its garbage stays there.
 */
import { connectResp } from '../../scripts/resp.mjs';

const [port = '', prefix = ''] = process.argv.slice(2);
const told = connectResp({ port: Number(port) });
const asks = connectResp({ port: Number(port) });
const pageKeys = 1_000;

const readKey = (/** @type {string} */ key) =>
  Promise.all([asks.call('HGETALL', key), asks.call('PTTL', key)]);

async function readAll() {
  const beganMs = performance.now();
  let [cursor, keys, bytes] = ['0', 0, 0];
  do {
    const [next, page] = await asks.call('SCAN', cursor, 'MATCH', `${prefix}*`, 'COUNT', pageKeys);
    for (const [fields] of await Promise.all(page.map(readKey))) bytes += fields.join('').length;
    keys += page.length;
    cursor = next;
  } while (cursor !== '0');
  return { tookMs: performance.now() - beganMs, keys, bytes };
}

process.on('disconnect', () => process.exit(0));
process.on('message', async () => process.send?.({ read: await readAll() }));
const id = await told.call('CLIENT', 'ID');
told.onMessage(async (message) => {
  const [, , keys] = /** @type {[string, string, string[]]} */ (message);
  for (const key of keys ?? []) await readKey(key);
  process.send?.({ seenNs: String(process.hrtime.bigint()), what: keys });
});
await told.call('SUBSCRIBE', '__redis__:invalidate');
await asks.call('CLIENT', 'TRACKING', 'ON', 'REDIRECT', id, 'BCAST', 'PREFIX', prefix);
process.send?.({ ready: true });
