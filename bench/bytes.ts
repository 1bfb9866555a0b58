/** What goes over the wire for one change, beside everything that is in view. */
import { startSignalbox } from '@/e2e/support/signalbox';
import { lockFlags } from '@/lib/consul/recognise/coordination';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { openEvents, type StreamEvent } from './events';
import { type Bench, bytes, type Figure } from './figure';
import { furnish, makeSession } from './furnished';
import { plainHttp } from './plain';

const locks = 10_000;
const patchMax = 1_000;

export const bench: Bench = {
  title: 'Bytes: one change among 10,000 locks',
  about:
    'Ten thousand locks, each held, by a thousand sessions that hold ten each. A change of each kind is made by a plain client of Consul, and what all events that follow it on an open stream take on the wire is counted, with their names and ids; pings are not. The stream is asked for as browsers do, in gzip, in which each event is compressed once for all who read it; as text is told besides. Compared with the whole snapshot, which is what a page would read without patches, in the same way.',
  run: async ({ defer, say }) => {
    const consul = await startConsul();
    const plain = plainHttp(consul.address);
    defer(plain.close);
    const furnished = await furnish(plain, { prefix: 'bytes/', locks });
    say(`${furnished.rows} rows are written`);
    const signalbox = await startSignalbox({
      consulAddress: consul.address,
      env: { SIGNALBOX_PREFIXES: 'bytes/' },
    });
    defer(signalbox.stop);
    await until(
      async () => {
        const answer = await fetch(`${signalbox.baseUrl}/api/v1/snapshot`);
        const { locks: seen } = (await answer.json()) as { locks: readonly unknown[] };
        return seen.length === locks;
      },
      { what: 'all locks in view', timeoutMs: 30_000, everyMs: 200 },
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

    const figures: Figure[] = [];
    /** Events that come within `settleMs` after the first are taken as of the same change. */
    const settleMs = 1_000;
    const measure = async (what: string, change: () => Promise<unknown>) => {
      const from = seen.length;
      await change();
      await until(
        () => {
          const last = seen.at(-1);
          return seen.length > from && last !== undefined && performance.now() - last.atMs > settleMs;
        },
        { what },
      );
      const came = seen.slice(from);
      const wire = came.reduce((sum, { wireBytes }) => sum + wireBytes, 0);
      const text = came.reduce((sum, one) => sum + textOf(one), 0);
      say(`${what}: ${wire} bytes, ${text} as text, in ${came.length} events`);
      figures.push(
        {
          what,
          ours: bytes(wire),
          compared: bytes(whole.wireBytes),
          ratio: wire / whole.wireBytes,
          goal: '<= 1 KB',
          met: wire <= patchMax,
        },
        {
          what: 'the same, as text',
          ours: bytes(text),
          compared: bytes(textOf(whole)),
          ratio: text / textOf(whole),
          goal: null,
          met: null,
        },
      );
    };
    const [first, second, third, fourth] = furnished.locks.filter((_, n) => n % 1_000 === 500);
    if (first === undefined || second === undefined || third === undefined || fourth === undefined)
      throw new Error('There are too few locks.');
    const path = (key: string, query: string) => `/v1/kv/${key}?flags=${lockFlags}&${query}`;
    await measure('the holder writes another value', () =>
      plain.json('PUT', path(first.key, `acquire=${first.session}`), '{"owner":"host-1:1234"}'),
    );
    await measure('a lock is released', () =>
      plain.json('PUT', path(second.key, `release=${second.session}`), ''),
    );
    await measure('and taken again', () =>
      plain.json('PUT', path(second.key, `acquire=${second.session}`), '{"owner":"host-1:1234"}'),
    );
    await measure('a lock is deleted', () => plain.json('DELETE', `/v1/kv/${third.key}`));
    await measure('a session comes that holds nothing', () => makeSession(plain, 'newcomer'));
    return {
      compared: 'the whole snapshot',
      figures,
      notes: [
        'A lock that is taken brings what no reader had before: as text its holder with the evidence for it (1.0 kB) and, as the sessions of this world have neither a TTL nor a lock-delay, two findings (1.1 kB).',
      ],
    };
  },
};
