/** A lock that goes from hand to hand among those of one process, on a real Consul. */
import { afterAll, expect, test } from 'vitest';
import { ProblemError } from '@/lib/domain/problem';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { systemClock } from '@/packages/locks/src/clock';
import { Lock } from '@/packages/locks/src/lock';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

const consul = await startConsul();
const client = consul.client({ maxPolls: 60 });
afterAll(() => consul.stop());

const isHandOn = (ops: Parameters<ConsulClient['txn']>[0]) => ops[0]?.verb === 'unlock';

/** A client of its own, so a process of its own as far as locks go. `meet`: sees each transaction that hands a key on. */
function another(meet: (send: () => ReturnType<ConsulClient['txn']>) => ReturnType<ConsulClient['txn']>) {
  const own: ConsulClient = {
    ...client,
    txn: (ops, options) => {
      const send = () => client.txn(ops, options);
      return isHandOn(ops) ? meet(send) : send();
    },
  };
  return own;
}

/** However slow this machine is, the key has not been among them for long. */
const still = { ...systemClock, monotonicMs: () => 0 };

/** The holder, and one who waits behind it in the same process. */
async function holderAndWaiter(own: ConsulClient, key: string, signal: AbortSignal) {
  const common = { key, clock: still };
  const holder = await new Lock(own, { ...common, sessionName: `${key} holder` }).acquire();
  const next = new Lock(own, { ...common, sessionName: `${key} waiter`, value: 'next' });
  let stands = false;
  const { createSession } = own;
  // In Consul it is there before this process knows, and a waiter without a session is handed nothing.
  own.createSession = (request, options) =>
    createSession(request, options).finally(() => {
      stands = true;
    });
  const waiting = next.acquire({ signal });
  await until(() => stands, { what: 'it waits' });
  return { holder, waiting };
}

const never = new AbortController().signal;

test('a release locks the key for the next one here in the same write, and who waits elsewhere gets in all the same', async () => {
  const key = 'h/hand-on';
  let handed = 0;
  const own = another((send) => {
    handed += 1;
    return send();
  });
  const tokens: bigint[] = [];
  let inside = 0;
  let elsewhere = 0;
  const cycle = async (from: ConsulClient, done: () => boolean) => {
    const lock = new Lock(from, { key });
    while (!done())
      await lock.run(async ({ fencingToken, session }) => {
        inside += 1;
        expect(inside).toBe(1);
        expect((await client.get(key)).value?.session).toBe(session);
        tokens.push(fencingToken);
        if (from === client) elsewhere += 1;
        inside -= 1;
      });
  };
  const over = () => elsewhere === 3 && handed > 3;
  await Promise.all([...[1, 2, 3, 4].map(() => cycle(own, over)), cycle(client, () => elsewhere === 3)]);
  // Each hold by any client is one more acquisition of the key: none was made twice or by two.
  expect(tokens).toEqual(tokens.map((_, i) => BigInt(i + 1)));
  await until(async () => (await client.sessions()).value.length === 0, { what: 'no session is left' });
});

test('one who gives up while the key is being locked for it leaves it free for others, without a lock-delay', async () => {
  const key = 'h/gives-up';
  const leaving = new AbortController();
  const own = another(async (send) => {
    leaving.abort(new Error('enough'));
    // Time for the one who leaves to look at the key, which is not its own yet.
    await until(async () => (await client.get(key)).value !== null, { what: 'the key is there' });
    return send();
  });
  const { holder, waiting } = await holderAndWaiter(own, key, leaving.signal);
  const gone = expect(waiting).rejects.toThrow('enough');
  await holder.release();
  await gone;
  const next = await new Lock(client, { key }).acquire({ timeoutMs: 30_000 });
  expect((await client.get(key)).value?.session).toBe(next.session);
  await next.release();
});

test('a hand-on whose answer is lost is seen by the one who got the key; one that is refused is a release', async () => {
  for (const made of [true, false]) {
    const key = `h/answer-lost-${made}`;
    let tried = 0;
    const own = another(async (send) => {
      tried += 1;
      if (!made) return { done: false, errors: [] };
      await send();
      throw new ProblemError({ code: 'unknown-result' });
    });
    const { holder, waiting } = await holderAndWaiter(own, key, never);
    await holder.release();
    const next = await waiting;
    expect((await client.get(key)).value).toMatchObject({
      session: next.session,
      value: Buffer.from('next'),
    });
    expect(next.fencingToken).toBe(holder.fencingToken + 1n);
    await next.release();
    expect(tried).toBe(1);
  }
});
