/**
 * A minimal client of Consul, for comparison: one blocking query after the other (`node:http`), and `JSON.parse`. It
 * runs in its own process, because it makes and drops every row at each change. Its garbage collection would count with
 * the other client's events.
 */
import { Agent, get } from 'node:http';

/** The answer is reported once nothing is pending. */
const tellAfterMs = 30;

const [url = '', rows = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });

/**
 * @param {string} index
 * @returns {Promise<{ body: Buffer, index: string }>}
 */
const ask = (index) =>
  new Promise((resolve, reject) => {
    const query = index === '0' ? '' : `&index=${index}&wait=55s`;
    get(`${url}${query}`, { agent }, (answer) => {
      /** @type {Buffer[]} */
      const parts = [];
      answer.on('data', (part) => parts.push(part));
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({ body: Buffer.concat(parts), index: String(answer.headers['x-consul-index'] ?? '0') }),
      );
    }).on('error', reject);
  });

process.on('disconnect', () => process.exit(0));
for (let index = '0'; ; ) {
  const answer = await ask(index);
  const readNs = process.hrtime.bigint();
  const count = JSON.parse(answer.body.toString('utf8')).length;
  const parsedNs = process.hrtime.bigint();
  if (count !== Number(rows)) throw new Error(`The bare query saw ${count} rows instead of ${rows}.`);
  index = answer.index;
  setTimeout(() => process.send?.({ readNs: String(readNs), parsedNs: String(parsedNs) }), tellAfterMs);
}
