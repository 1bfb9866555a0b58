import { expect, test } from '@/e2e/support/signalbox';

test('the page answers, and its browser console stays silent', async ({ page }) => {
  const answer = await page.goto('/');
  expect(answer?.status()).toBe(200);
  await expect(page).toHaveTitle(/Signalbox/);
});
