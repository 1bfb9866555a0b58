import { expect, test } from '@/e2e/support/signalbox';

test('asking for the head of the stream opens none', async ({ page, baseUrl }) => {
  const answer = await page.request.head(`${baseUrl}/api/v1/events`);
  expect(answer.status()).toBe(200);
  expect(await answer.body()).toHaveLength(0);
});

test('the page answers, and its browser console stays silent', async ({ page }) => {
  const answer = await page.goto('/');
  expect(answer?.status()).toBe(200);
  await expect(page).toHaveTitle(/Signalbox/);
});
