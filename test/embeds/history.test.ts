/** The last 24 hours in a share: only where its link says so, cut like the present, while its maker may read it. */
import { expect, test, vi } from 'vitest';
import { POST as make } from '@/app/api/v1/grants/route';
import { GET as history } from '@/app/embed/v1/history/route';
import { rewrite } from '@/test/identity/tokens';
import { until } from '@/test/support/until';
import { ann, bearer, ben, consul, create, served, shared, stageShares } from './stage';

// It throws outside of Next's server layer; this process is a server of its own.
vi.mock('server-only', () => ({}));

await stageShares('sqlite');

const leader = { view: 'lock', key: 'a/leader' };
const past = (query: string) => served.ask(history, `/embed/v1/history${query}`);
const told = (query: string, n = 1) =>
  until(
    async () => {
      const answer = await (await past(query)).json();
      return answer.episodes?.length === n && answer;
    },
    { what: `${n} holds`, timeoutMs: 40_000 },
  );

test('a link without it has no history, whatever the reader asks; a board cannot have one', async () => {
  const { query } = await shared(ann, leader);
  expect((await past(query)).status).toBe(404);
  const { query: no } = await shared(ann, { ...leader, history: false });
  expect((await past(no)).status).toBe(404);
  expect((await past('?share=x')).status).toBe(404);
  expect((await create(ann, { view: 'board', prefix: 'a/', history: true })).status).toBe(400);
});

test('a reader sees who held it as the link shows holders, and neither a value nor who acted', async () => {
  const { query } = await shared(ann, { ...leader, history: true });
  const { episodes, findings, keptSinceMs, from, to } = await told(query);
  expect(to - from).toBe(86_400_000);
  expect(keptSinceMs).not.toBeNull();
  expect(findings).toEqual([]);
  expect(episodes).toMatchObject([
    { subject: leaderSubject, to: null, deed: null, token: null, who: { label: 'a' } },
  ]);
  const { query: blind } = await shared(ann, { ...leader, history: true, sessions: false });
  const [hold] = (await told(blind)).episodes;
  expect(hold.who).toMatchObject({ name: null, node: null });
  expect(hold.who.label).not.toBe('a');
  expect(hold.verdicts.map(({ verdict }: { verdict: string }) => verdict)).toEqual(['unknown']);
  expect(await (await past(query)).text()).not.toMatch(/HUSH|MARKER/);
});
const leaderSubject = { source: 'consul', kind: 'lock', key: 'a/leader' };

test('a signed token has no more history than the link behind it', async () => {
  const sign = async (grant: string) => {
    const body = { kind: 'token', grant, scope: { ...leader, history: true }, lifeMs: 60_000 };
    const response = await served.ask(make, '/api/v1/grants', { method: 'POST', headers: bearer(ann), body });
    expect(response.status).toBe(201);
    return `?token=${((await response.json()) as { token: string }).token}`;
  };
  const [plain, whole] = [await shared(ann, leader), await shared(ann, { ...leader, history: true })];
  expect((await past(await sign(plain.id))).status).toBe(404);
  expect((await past(await sign(whole.id))).status).toBe(200);
});

test('when its maker may not read it any more, the past goes with the present', async () => {
  const { query } = await shared(ben, { ...leader, history: true });
  await told(query);
  await rewrite(consul, ben, 'key_prefix "b/" { policy = "read" }');
  await told(query, 0);
}, 120_000);
