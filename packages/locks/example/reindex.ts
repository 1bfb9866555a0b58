/** A small service. Start it several times: one process leads and reindexes, the others stand by and take over. */
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, failureCode, type Hold, lostReason } from '@signalbox/locks';

const consul = connect();
const leadership = consul.lock({ key: 'example/reindex/leader', lockDelayMs: 5_000 });
/** Shared with other services: at most two use the database at a time. */
const database = consul.semaphore({ prefix: 'example/database', limit: 2 });

const end = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end.abort());

let leads = false;
const health = createServer((_, response) => response.end(leads ? 'leader\n' : 'standby\n'));
health.listen(Number(process.env.PORT ?? 8080));

while (!end.signal.aborted) {
  try {
    await leadership.run(lead, { signal: end.signal });
  } catch (error) {
    if (end.signal.aborted) break;
    console.error('not leading:', failureCode(error) ?? error);
    await sleep(2_000, null, { signal: end.signal }).catch(() => {});
  }
}
health.close();
await consul.close();

async function lead({ lost, fencingToken }: Hold): Promise<void> {
  console.log('leading');
  leads = true;
  const stop = AbortSignal.any([lost, end.signal]);
  try {
    while (!stop.aborted) {
      await database.run((permit) => reindex(fencingToken, AbortSignal.any([stop, permit.lost])), {
        signal: stop,
      });
      await sleep(1_000, null, { signal: stop });
    }
  } catch (error) {
    if (!stop.aborted) throw error;
  } finally {
    leads = false;
    console.log('stepped down', lostReason(lost) ?? '');
  }
}

/** The index refuses a token that is smaller than the greatest it has seen. */
async function reindex(token: bigint, stop: AbortSignal): Promise<void> {
  await sleep(200, null, { signal: stop });
  console.log('reindexed with token', String(token));
}
