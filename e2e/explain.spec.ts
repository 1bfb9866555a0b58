/** Why something is stuck, on its own page, and what was held by the hour. */
import { broken } from '@/e2e/support/furnish';
import { expect, test } from '@/e2e/support/signalbox';
import { until } from '@/test/support/until';

const flags = '16210313421097356768';

test('the page of a stuck semaphore says what blocks whom, what ends it and what that risks, with evidence; a quiet one says nothing', async ({
  page,
  consul,
  baseUrl,
}) => {
  const client = consul.client();
  const prefix = 'e2e/explain';
  const plain = { ttlMs: null, behavior: 'delete', lockDelayMs: 0, checks: [] } as const;
  const waiting = await client.createSession({ name: 'patient-1', ...plain });
  const quiet = await client.createSession({ name: 'idle', ...plain, ttlMs: 600_000 });
  const ghost = '11111111-2222-4333-8444-555555555555';
  const record = (name: string, body: object) =>
    client.cas({ key: `${name}/.lock`, value: Buffer.from(JSON.stringify(body)), flags, index: '0' });
  await client.acquire({ key: `${prefix}/${waiting}`, value: Buffer.from(''), flags, session: waiting });
  await record(prefix, { Limit: 1, Holders: { [ghost]: true } });
  await client.acquire({ key: `e2e/calm/${quiet}`, value: Buffer.from(''), flags, session: quiet });
  await record('e2e/calm', { Limit: 2, Holders: { [quiet]: true } });
  await until(
    async () =>
      (await (await fetch(`${baseUrl}/api/v1/findings?subject=semaphore:${prefix}`)).text()).includes(
        'ghost-slots',
      ),
    { what: 'the finding' },
  );
  await page.goto(`/semaphore?prefix=${encodeURIComponent(prefix)}`);
  const why = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Why it is stuck' }) });
  await expect(why).toContainText(
    'The one slot here is taken. One slot leaks: its session holds nothing here.',
  );
  await expect(why).toContainText('patient-1 has waited for');
  await expect(why).toContainText(
    'Nothing frees a leaked slot by itself, unless a client that comes prunes it.',
  );
  await expect(why).toContainText(`To end it now: Prune 1 ghost from ${prefix}. No undo needed`);
  await why.getByText('What this rests on').click();
  await expect(why).toContainText('This session locks no key under the prefix.');
  expect(await broken(page)).toEqual([]);
  await page.goto('/semaphore?prefix=e2e%2Fcalm');
  await expect(page.getByText('idle').first()).toBeVisible();
  await expect(page.getByRole('heading', { name: /^Why (it is stuck|clients wait)$/ })).toHaveCount(0);
  for (const session of [waiting, quiet]) await client.destroySession(session);
});
