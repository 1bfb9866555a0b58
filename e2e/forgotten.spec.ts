/** A request's cookies and rendered page go with it: nothing that stays may hold them. */
import { ask, json, type Raw } from '@/e2e/support/raw';
import { holdStream, startRemembering } from '@/e2e/support/remembering';
import { expect, test } from '@/e2e/support/signalbox';
import { heldLock } from '@/test/actions/stage';
import { makeToken, operatorOf } from '@/test/identity/tokens';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

/** Longer than any part of an action: its follow-up of 30 s, and the timer that would end it after 60 s. */
const timeout = 75_000;

/** The references that each server still keeps in the end, and the allowed ones. Both wait at the same time. */
interface Kept {
  readonly kept: readonly string[];
  readonly may: readonly string[];
}

async function afterEverything(): Promise<Kept> {
  const consul = await startConsul({ acl: true });
  const { key } = await heldLock(consul.client(), { key: 'jobs/nightly' });
  const server = await startRemembering({
    consulAddress: consul.address,
    env: { CONSUL_HTTP_TOKEN: consul.token ?? '' },
  });
  const { baseUrl } = server;
  try {
    const { secret } = await makeToken(consul, operatorOf(''), { description: 'operator' });
    const signedIn = await ask(baseUrl, {
      path: '/api/v1/session',
      method: 'POST',
      ...json({ token: secret }),
    });
    expect(signedIn.status).toBe(200);
    const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? '';
    const asPerson = async (request: Raw) => {
      const answer = await ask(baseUrl, { ...request, headers: { ...request.headers, cookie } });
      expect([200, 201], `${request.path}: ${answer.body.slice(0, 200)}`).toContain(answer.status);
      return answer;
    };
    const post = async (path: string, body: unknown) =>
      JSON.parse((await asPerson({ path, method: 'POST', ...json(body) })).body || '{}');

    const lock = `/lock?key=${encodeURIComponent(key)}`;
    const pages = ['/', lock, '/?q=nihgtly', '/sessions', '/findings', '/audit', '/shares', '/login'];
    for (const language of ['en', 'zh'])
      for (const path of pages) await asPerson({ path, headers: { 'accept-language': language } });

    const action = { type: 'lock.release', source: 'consul', key, how: 'destroy-session' };
    const { expect: seen } = await post('/api/v1/actions', { mode: 'plan', action });
    await post('/api/v1/actions', { mode: 'apply', action, reason: 'stuck', expect: seen });
    const scope = { view: 'board', prefix: 'jobs/', values: false, frames: ['*'] };
    const { secret: share } = await post('/api/v1/grants', { kind: 'link', scope });
    await asPerson({ path: `/embed/v1/board?share=${share}` });

    // As many at once as there are connections to take, twice: the second time they take what the first ones left.
    for (let turn = 0; turn < 2; turn += 1)
      await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          i % 2 === 0
            ? post('/api/v1/rights', {
                actions: [{ type: 'lock.delete', source: 'consul', key: `jobs/${turn}-${i}` }],
              })
            : asPerson({ path: `${lock}&turn=${turn}-${i}` }),
        ),
      );

    const embed = (of: string) => `/embed/v1/events?share=${share}&of=${of}`;
    const leave = await holdStream(`${baseUrl}${embed('first')}`);
    await holdStream(`${baseUrl}${embed('second')}`);
    leave();
    return await whatStays(server.kept, [embed('second')]);
  } finally {
    await server.stop();
    await consul.stop();
  }
}

async function afterTheFirstStream(): Promise<Kept> {
  const consul = await startConsul();
  const server = await startRemembering({ consulAddress: consul.address });
  try {
    const events = (of: string) => `/api/v1/events?of=${of}`;
    const leave = await holdStream(`${server.baseUrl}${events('first')}`);
    await holdStream(`${server.baseUrl}${events('second')}`);
    leave();
    return await whatStays(server.kept, [events('second')]);
  } finally {
    await server.stop();
    await consul.stop();
  }
}

/** Waits until nothing but this is kept, and answers what was kept last. */
async function whatStays(ask: () => Promise<readonly string[]>, may: readonly string[]): Promise<Kept> {
  let kept: readonly string[] = [];
  await until(
    async () => {
      kept = await ask();
      return JSON.stringify(kept) === JSON.stringify(may);
    },
    { what: 'only what may stay', timeoutMs: timeout, everyMs: 500 },
  ).catch(() => {});
  return { kept, may };
}

test.describe('requests that were answered', () => {
  let stories: readonly Promise<Kept>[] = [];

  test.beforeAll(() => {
    stories = [afterEverything(), afterTheFirstStream()];
    // Each is waited for by its own test, which may come after it has failed.
    for (const story of stories) story.catch(() => {});
  });
  test.afterAll(async () => {
    test.setTimeout(180_000);
    await Promise.allSettled(stories);
  });

  for (const [i, name] of [
    'no request is kept once it was answered, whatever it was the first to need or the last to use',
    'where no tokens are asked for, the first stream is not kept for the sake of those who came after it',
  ].entries())
    test(name, async () => {
      test.setTimeout(180_000);
      const { kept, may } = (await stories[i]) as Kept;
      expect(kept).toEqual(may);
    });
});
