import { expect, test } from 'vitest';
import type { Problem } from '@/lib/domain/problem';
import type { Probed } from '@/lib/domain/seam/probe';
import type { LockRef } from '@/lib/domain/subject';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { answering } from '@/lib/server/http/http';
import { answerProbe, createProbes, type ProbeRuntime } from './probe';

const delayed: Probed = { answer: 'delayed', atMs: 7 };

/** A server whose provider always answers `answer`, with a manual clock. */
function server(answer: Probed | Problem | null = delayed) {
  const asked: string[] = [];
  const logged: unknown[] = [];
  const clock = { ms: 1_000 };
  const probe = async ({ key }: LockRef) => {
    asked.push(key);
    return answer as Probed | Problem;
  };
  const runtime: ProbeRuntime = {
    hub: { snapshot: () => ({ source: { id: 'consul' } }) as Snapshot },
    probes: createProbes({ provider: answer === null ? {} : { probe }, now: () => clock.ms }),
    log: { info: (fields: unknown) => void logged.push(fields) } as unknown as ProbeRuntime['log'],
  };
  const post = async (body: unknown) => {
    const request = new Request('http://127.0.0.1:3000/api/v1/probe', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const response = await answering(() => answerProbe(request, runtime));
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return { asked, logged, clock, post };
}

test('it answers what the backend said and when, and leaves a line in the log', async () => {
  const { post, logged } = server();
  expect(await post({ key: 'a/lock' })).toEqual({ status: 200, body: delayed });
  expect(logged).toEqual([{ key: 'a/lock', source: 'consul', outcome: 'delayed' }]);
});

test('one key is asked about once in two seconds, by any callers; another key is its own', async () => {
  const { post, asked, clock } = server();
  await post({ key: 'a' });
  clock.ms += 1_999;
  expect(await post({ key: 'a' })).toMatchObject({ status: 429, body: { code: 'busy' } });
  expect((await post({ key: 'b' })).status).toBe(200);
  clock.ms += 1;
  expect((await post({ key: 'a' })).status).toBe(200);
  expect(asked).toEqual(['a', 'b', 'a']);
});

test('a loop over many keys is stopped', async () => {
  const { post, asked } = server();
  for (let n = 0; n < 20; n += 1) expect((await post({ key: `k${n}` })).status).toBe(200);
  expect((await post({ key: 'k20' })).status).toBe(429);
  expect(asked).toHaveLength(20);
});

test.each([['{'], [{}], [{ key: '' }], [{ key: 'x'.repeat(5_000) }], [{ key: 'a', loop: true }]])(
  'no other shape than one key: %j',
  async (body) => {
    const { post, asked } = server();
    expect((await post(body)).status).toBe(400);
    expect(asked).toEqual([]);
  },
);

test('a backend that cannot be asked, and one that does not answer, are problems', async () => {
  expect(await server(null).post({ key: 'a' })).toMatchObject({ status: 400, body: { code: 'invalid' } });
  const down: Problem = { code: 'no-leader', why: { code: 'no-leader-now', facts: {} } };
  expect(await server(down).post({ key: 'a' })).toMatchObject({ status: 503, body: { code: 'no-leader' } });
});
