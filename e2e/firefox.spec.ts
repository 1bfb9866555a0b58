/** What another engine could do otherwise, in Firefox: the way from the board to a plan, keys, and the width of a phone. */
import { escapeKey, startFirefox } from '@/e2e/support/firefox';
import { furnish } from '@/e2e/support/furnish';
import { expect, test } from '@/e2e/support/signalbox';

const path = process.env.SIGNALBOX_FIREFOX;

test('in Firefox the board is live, a plan opens by keyboard and closes again, and a phone shows no strip', async ({
  baseUrl,
  consul,
}) => {
  test.skip(path === undefined, 'there is no Firefox on this machine');
  test.setTimeout(180_000);
  await furnish(consul);
  const firefox = await startFirefox(path ?? '');
  const read = (body: string) => expect.poll(() => firefox.evaluate(`return ${body}`), { timeout: 20_000 });
  const live = async (page: string) => {
    await firefox.goTo(`${baseUrl}${page}`);
    await read(`/live · \\d\\d:\\d\\d:\\d\\d/.test(document.body.innerText)`).toBe(true);
  };
  try {
    await firefox.resize(360, 780);
    for (const page of ['/', '/findings', '/audit', '/sessions']) {
      await live(page);
      await read('document.documentElement.scrollWidth <= innerWidth').toBe(true);
      // A scroll bar of its own below the links.
      await read(
        `(({ offsetHeight, clientHeight }) => offsetHeight - clientHeight)(document.querySelector('nav'))`,
      ).toBe(0);
    }
    await firefox.resize(1280, 800);
    await live('/semaphore?prefix=semaphore%2Fform-gateway');
    const prune = `[...document.querySelectorAll('button')].find((one) => one.textContent === 'Prune 2 ghosts')`;
    await read(`(one => one !== undefined && one.ariaDisabled !== 'true')(${prune})`).toBe(true);
    await firefox.evaluate(`${prune}.focus()`);
    await firefox.press(' ');
    await read(`document.querySelector('[role=dialog]')?.innerText.includes('Will be written')`).toBe(true);
    await read('document.activeElement.ariaLabel').toBe('Plan');
    await firefox.press(escapeKey);
    await read(
      `document.querySelector('[role=dialog]') === null && document.activeElement === ${prune}`,
    ).toBe(true);
  } finally {
    await firefox.close();
  }
});
