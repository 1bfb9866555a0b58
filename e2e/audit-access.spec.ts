/** The audit with access control: a reader of one prefix, a reader of all of it, and a stranger. */
import { test } from '@/e2e/support/guarded';
import { applied } from '@/e2e/support/person';
import { expect } from '@/e2e/support/signalbox';
import { mark, rulesOf } from '@/e2e/support/teams';
import { en } from '@/lib/i18n/messages';

test.use({ store: 'postgres' });

const { audit } = en;

test('a reader of one prefix learns from the audit nothing about another; a reader of the rules sees it all', async ({
  world,
  arriving,
}) => {
  test.setTimeout(180_000);
  const places = { red: await world.furnish('red', 'audit'), other: await world.furnish(mark, 'audit') };
  for (const team of ['red', mark] as const) {
    const { secret } = await world.token(`${team} operator`, rulesOf(team, 'write'));
    const operator = await arriving(secret);
    const key = team === 'red' ? places.red.idle : places.other.idle;
    expect(await applied(operator.page, { type: 'lock.delete', source: 'consul', key })).toBe('done');
  }
  const reader = await arriving((await world.token('red reader', rulesOf('red', 'read'))).secret);
  const { page } = reader;
  await page.goto('/audit');
  await expect(page.getByText(`red operator deleted the lock ${places.red.idle}`)).toBeVisible();
  await expect(page.getByText(audit.part)).toBeVisible();
  await expect(page.getByText(audit.chain.again)).toHaveCount(0);
  // Their own sign-in is theirs to see; others' are not.
  await expect(page.getByText('red reader signed in')).toBeVisible();
  await expect(page.getByText('red operator signed in')).toHaveCount(0);
  // By the API, the exports and the filters too.
  const asked = [
    '',
    '?format=csv',
    '?format=jsonl',
    '?person=operator',
    '?kind=sign-in',
    '?action=lock.delete',
  ];
  for (const query of asked) {
    const answer = await page.request.get(`/api/v1/audit${query}`);
    expect(answer.status()).toBe(200);
    const text = await answer.text();
    expect(text, query).not.toContain(mark);
    expect(text, query).not.toMatch(/"?(seq|digest|before)"?[:,]/);
  }
  const named = await page.request.get(`/api/v1/audit?subject=lock:${places.other.idle}`);
  expect(await named.json()).toEqual({ rows: [], older: null, part: true });
  expect((await page.request.get('/api/v1/audit/chain')).status()).toBe(403);
  expect((await page.request.get('/api/v1/audit?below=2')).status()).toBe(400);
  await reader.settled();
  for (const { url, body } of reader.heard) expect(body, url).not.toContain(mark);

  const overseer = await arriving((await world.token('overseer', 'acl = "read"')).secret);
  await overseer.page.goto('/audit');
  await expect(
    overseer.page.getByText(`${mark} operator deleted the lock ${places.other.idle}`),
  ).toBeVisible();
  await expect(overseer.page.getByText(/^Chain intact: \d+ rows, verified at/)).toBeVisible();

  const stranger = await arriving(null);
  expect((await stranger.page.request.get('/api/v1/audit')).status()).toBe(401);
  await stranger.page.goto('/audit');
  await expect(stranger.page).toHaveURL(/\/login/);
});
