/** The record of actions on the production build, by its API alone: an apply, a refusal at the gate, a plan. */
import { expect, test } from '@/e2e/support/signalbox';
import { heldLock, session } from '@/test/actions/stage';
import { until } from '@/test/support/until';

interface Row {
  readonly kind: string;
  readonly thread: string;
  readonly reason: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

test('an apply, what followed and a refusal at the gate are on record, and the chain is whole', async ({
  baseUrl,
  consul,
}) => {
  const client = consul.client();
  const { key } = await heldLock(client);
  const action = { type: 'lock.release', key, how: 'destroy-session' };
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${baseUrl}/api/v1/actions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const rows = async (): Promise<readonly Row[]> => {
    const answer = await fetch(`${baseUrl}/api/v1/audit?subject=${encodeURIComponent(`lock:${key}`)}`);
    expect(answer.status).toBe(200);
    return (await answer.json()).rows;
  };
  const planned = await (await post({ mode: 'plan', action })).json();
  const applied = { mode: 'apply', action, reason: 'stuck', expect: planned.expect };
  const foreign = await post(applied, { origin: 'http://elsewhere.example', 'sec-fetch-site': 'cross-site' });
  expect(foreign.status).toBe(403);
  expect((await post(applied)).status).toBe(200);
  const next = await session(client, { name: 'the next one' });
  expect(await client.acquire({ key, value: Buffer.from('y'), flags: '0', session: next })).toBe(true);

  // Half a minute at the most: it ends as soon as somebody has taken the lock.
  const seen = await until(
    async () => {
      const all = await rows();
      return all.some(({ kind }) => kind === 'followed') ? all : null;
    },
    { what: 'what followed is on record', timeoutMs: 40_000, everyMs: 250 },
  );
  expect(seen.map(({ kind }) => kind)).toEqual(['followed', 'outcome', 'intent', 'refused']);
  const [followed, outcome, intent, refused] = seen;
  expect(refused).toMatchObject({
    reason: 'stuck',
    detail: { outcome: 'forbidden', why: { code: 'other-site' } },
  });
  expect(intent).toMatchObject({ reason: 'stuck', detail: { how: 'destroy-session' } });
  expect(outcome).toMatchObject({ detail: { outcome: 'done', freed: [`lock:${key}`] } });
  expect(followed?.detail.subjects).toMatchObject([{ subject: `lock:${key}`, what: 'taken', by: [next] }]);
  const chain = await (await fetch(`${baseUrl}/api/v1/audit/chain`)).json();
  expect(chain).toMatchObject({ brokenAt: null });
});
