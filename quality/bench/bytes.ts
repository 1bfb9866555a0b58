/** The bytes on the wire for one change, beside the whole view. */

import { lockFlags } from '@/lib/providers/consul/rows/coordination';
import { startConsul } from '@/test/support/consul';
import { startServer } from '@/test/support/server';
import { until } from '@/test/support/until';
import { openEvents, type StreamEvent } from './events';
import { type Bench, bytes, type Figure, noMoreThan, plainFigure } from './figure';
import { furnish, makeSession } from './furnished';
import { plainHttp } from './plain';
import { join, pass, setLimit } from './semaphore-writes';

const locks = 10_000;
const semaphores = 100;
/** The crowd of one more semaphore. */
const crowded = { holders: 50, waiters: 10 };
const patchMax = 1_000;
/** Events within this time after the last one belong to the same change. */
const settleMs = 1_000;

export const bench: Bench = {
  title: 'Bytes: one change among 10,000 locks',
  about: `Ten thousand locks, each held, by a thousand sessions that hold ten each; ${semaphores} semaphores of three holders and two waiters, and one of ${crowded.holders} holders and ${crowded.waiters} waiters. A plain client of Consul makes a change of each kind. What all events that follow it on an open stream take on the wire is counted, with their names and ids. The stream is in gzip, as browsers ask for it; each event is compressed once for all who read it. Each change is told as text, too. Compared with the whole snapshot, which is what a page would read without patches, in the same way.`,
  excluded: `Pings. Sessions are created before the change that uses them, and their own events have come by then.`,
  run: async ({ defer, say }) => {
    const consul = await startConsul();
    const plain = plainHttp(consul.address);
    defer(plain.close);
    const furnished = await furnish(plain, { prefix: 'bytes/', locks, semaphores });
    const { semaphores: large } = await furnish(plain, { prefix: 'bytes/large-', semaphores: 1, ...crowded });
    const signalbox = await startServer({
      consulAddress: consul.address,
      env: { SIGNALBOX_PREFIXES: 'bytes/' },
    });
    defer(signalbox.stop);
    await until(
      async () => {
        const answer = await fetch(`${signalbox.baseUrl}/api/v1/snapshot`);
        const seen = (await answer.json()) as Record<'locks' | 'semaphores', readonly unknown[]>;
        return seen.locks.length === locks && seen.semaphores.length === semaphores + 1;
      },
      { what: 'everything in view', timeoutMs: 60_000, everyMs: 200 },
    );
    const seen: StreamEvent[] = [];
    const events = await openEvents(signalbox.baseUrl, (event) => {
      if (event.event !== 'ping') seen.push(event);
    });
    defer(events.close);
    const textOf = ({ event, data }: StreamEvent) =>
      Buffer.byteLength(`event: ${event}\nid: 0123456789ab-12345\ndata: ${data}\n\n`);
    const whole = seen.findLast(({ event }) => event === 'snapshot');
    if (whole === undefined) throw new Error('There was no snapshot.');

    /** The events of one change. */
    const after = async (what: string, change: () => Promise<unknown>) => {
      const from = seen.length;
      await change();
      await until(
        () => {
          const last = seen.at(-1);
          return seen.length > from && last !== undefined && performance.now() - last.atMs > settleMs;
        },
        { what },
      );
      return seen.slice(from);
    };
    const figures: Figure[] = [];
    const measure = async (what: string, change: () => Promise<unknown>) => {
      const came = await after(what, change);
      const wire = came.reduce((sum, { wireBytes }) => sum + wireBytes, 0);
      const text = came.reduce((sum, one) => sum + textOf(one), 0);
      say(`${what}: ${wire} bytes, ${text} as text, in ${came.length} events`);
      figures.push(
        noMoreThan(what, {
          ours: wire,
          compared: whole.wireBytes,
          max: patchMax,
          show: bytes,
          text: '<= 1 KB',
        }),
        plainFigure('the same, as text', { ours: text, compared: textOf(whole), show: bytes }),
      );
    };
    const [first, second, third, fourth] = furnished.locks.filter((_, n) => n % 1_000 === 500);
    const [pool, hall] = [furnished.semaphores[semaphores / 2], large[0]];
    if (!first || !second || !third || !fourth || !pool || !hall) throw new Error('Too little is furnished.');
    const put = (key: string, query: string, value: string) =>
      plain.json('PUT', `/v1/kv/${key}?flags=${lockFlags}&${query}`, value);
    const owner = '{"owner":"host-1:1234"}';
    await measure('lock: the holder writes another value', () =>
      put(first.key, `acquire=${first.session}`, owner),
    );
    await measure('lock: its holder releases it', () => put(second.key, `release=${second.session}`, ''));
    await measure('lock: the same holder takes it again', () =>
      put(second.key, `acquire=${second.session}`, owner),
    );
    await measure('lock: it goes from one holder to another', () =>
      plain.json(
        'PUT',
        '/v1/txn',
        `[{"KV":{"Verb":"unlock","Key":"${fourth.key}","Session":"${fourth.session}"}},{"KV":{"Verb":"lock","Key":"${fourth.key}","Session":"${first.session}","Flags":${lockFlags},"Value":"${Buffer.from(owner).toString('base64')}"}}]`,
      ),
    );
    await measure('lock: it is deleted', () => plain.json('DELETE', `/v1/kv/${third.key}`));
    await measure('session: one comes that holds nothing', () => makeSession(plain, 'newcomer'));
    for (const [name, prefix] of [
      ['semaphore of 3 holders', pool],
      [`semaphore of ${crowded.holders} holders`, hall],
    ] as const) {
      let newcomer = '';
      await after('a session for a waiter', async () => {
        newcomer = await makeSession(plain, 'late-waiter', 'delete');
      });
      await measure(`${name}: a waiter comes`, () => join(plain, prefix, newcomer));
      await measure(`${name}: a slot goes from a holder to a waiter`, () => pass(plain, prefix));
      await measure(`${name}: a waiter leaves`, () => plain.json('DELETE', `/v1/kv/${prefix}/${newcomer}`));
      await measure(`${name}: its limit changes`, () => setLimit(plain, prefix, 1));
    }
    return { compared: 'the whole snapshot', figures };
  },
};
