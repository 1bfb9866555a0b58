/** Rights that are given and taken away during one stream of one token. */
import { afterAll, expect, test } from 'vitest';
import { entry, heldLock } from '@/test/actions/stage';
import { listen, serverOn } from '@/test/identity/server';
import { makeToken, readerOf, rewrite, rule, type Token } from '@/test/identity/tokens';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

const consul = await startConsul({ acl: true });
const root = consul.client();
const server = serverOn(consul, { token: consul.token });
const ends = new AbortController();
afterAll(async () => {
  ends.abort();
  await server.close();
  expect(server.bugs).toEqual([]);
  await consul.stop();
});

/** Five seconds are the goal, and some two are usual: a busy machine may take its time for any step of it. */
const seenMaxMs = 40_000;
const ghost = '99999999-9999-9999-9999-999999999999';
const headersOf = ({ secret }: Token) => ({ authorization: `Bearer ${secret}` });
const shownTo = async (token: Token) => (await server.snapshot(headersOf(token))).text();
const isLive = (text: string) => text.includes('"state":"live"');

/** The content of one folder, called by `mark`. */
async function furnish(folder: string, mark: string): Promise<void> {
  const { id } = await heldLock(root, {
    key: `${folder}/lock-${mark}`,
    value: `value of ${mark}`,
  });
  await entry(root, `${folder}/jobs-${mark}`, `{"Limit":3,"Holders":{"${id}":true,"${ghost}":true}}`);
}

const ways = [
  ['by another policy', rule.bind(null, consul)],
  ['by other rules of the same policy', rewrite.bind(null, consul)],
] as const;

test.each(ways)(
  'a right that was taken away is seen to be gone by the same token and stream, %s',
  async (way, change) => {
    const name = `taken-${ways.findIndex(([one]) => one === way)}`;
    await furnish(`${name}/kept`, `anchor${name}`);
    await furnish(`${name}/lost`, `lodestar${name}`);
    const token = await makeToken(consul, readerOf(name));
    const stream = listen(await server.events(headersOf(token), ends.signal));
    await until(() => stream.text().includes(`lock-lodestar${name}`), { what: 'it is seen' });
    await change(token, readerOf(`${name}/kept`));
    const text = await until(
      async () => {
        const shown = await shownTo(token);
        return isLive(shown) && !shown.includes('lock-lodestar') && shown;
      },
      { what: 'it is seen no more', timeoutMs: seenMaxMs },
    );
    expect(text).toContain(`lock-anchor${name}`);
    expect(text).not.toContain('jobs-lodestar');
    expect(await (await server.findings(headersOf(token))).text()).not.toContain('lodestar');
    await until(() => /"remove":\{[^}]*lock-lodestar/.test(stream.text()), {
      what: 'the stream says so',
      timeoutMs: seenMaxMs,
    });
    const heard = stream.text().length;
    await furnish(`${name}/lost`, `later${name}`);
    // Made after the other: once it is heard of, the other one would have been.
    await furnish(`${name}/kept`, `last${name}`);
    await until(() => stream.text().includes(`lock-last${name}`), { what: 'what may be seen is heard of' });
    expect(stream.text().slice(heard)).not.toMatch(/lodestar|later/);
  },
);

test.each(ways)('a right that was given is seen in the same stream, %s', async (way, change) => {
  const name = `given-${ways.findIndex(([one]) => one === way)}`;
  await furnish(`${name}/one`, `anchor${name}`);
  await furnish(`${name}/two`, `lodestar${name}`);
  // Without an entry of its own it is seen by those who contend for it, and no list has its name.
  const { id } = await heldLock(root, { key: `${name}/other`, value: 'x' });
  await root.acquire({
    key: `${name}/two/bare-${name}/${id}`,
    value: Buffer.from('x'),
    flags: '16210313421097356768',
    session: id,
  });
  const token = await makeToken(consul, readerOf(`${name}/one`));
  const stream = listen(await server.events(headersOf(token), ends.signal));
  await until(() => stream.text().includes(`lock-anchor${name}`), { what: 'it looks' });
  expect(stream.text()).not.toContain(`lock-lodestar${name}`);
  await change(token, readerOf(name));
  await until(
    () =>
      [`lock-lodestar${name}`, `jobs-lodestar${name}`, `bare-${name}`].every((one) =>
        stream.text().includes(one),
      ),
    { what: 'it is heard of', timeoutMs: seenMaxMs },
  );
  const inPart = async () => {
    const { semaphores } = JSON.parse(await shownTo(token)) as { semaphores: { part?: true }[] };
    return semaphores.filter(({ part }) => part).length;
  };
  await until(async () => (await inPart()) === 0, { what: 'no entry is kept', timeoutMs: seenMaxMs });
});
