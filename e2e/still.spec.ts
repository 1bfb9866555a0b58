/** Nothing jumps: not while a page arrives, not when a slot passes on; and the passing itself can be seen. */
import type { Page } from '@playwright/test';
import { furnish, inView, screensOf } from '@/e2e/support/furnish';
import { startPiecemeal } from '@/e2e/support/piecemeal';
import { expect, test } from '@/e2e/support/signalbox';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import type { TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

/** A barely visible amount; a row that moves by its height counts a hundred times as much. */
const shiftMax = 0.001;

interface Seen {
  readonly shifts: { value: number; of: string[] }[];
  readonly moved: { of: string; ms: number }[];
}

/** Notes every shift of the layout and every animation from the start of each page. */
async function watchForm(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const seen = { shifts: [] as unknown[], moved: [] as unknown[] };
    Object.assign(window, { seen });
    const isBlank = (node: Node | null) => node instanceof Text && node.data.trim() === '';
    new PerformanceObserver((list) => {
      // A blank at the end of the present text has no place of its own until more of its line is there: it "moves" by a
      // pixel, invisibly.
      for (const entry of list.getEntries() as (PerformanceEntry & {
        value: number;
        hadRecentInput: boolean;
        sources: { node: Node | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[];
      })[])
        if (
          !entry.hadRecentInput &&
          !(entry.sources.length > 0 && entry.sources.every(({ node }) => isBlank(node)))
        )
          seen.shifts.push({
            value: entry.value,
            of: entry.sources.map(({ node, previousRect: from, currentRect: to }) => {
              const name = node instanceof Element ? node.outerHTML.slice(0, 140) : (node?.nodeValue ?? '');
              return `${name} from ${from.x},${from.y} ${from.width}x${from.height} to ${to.x},${to.y} ${to.width}x${to.height}`;
            }),
          });
    }).observe({ type: 'layout-shift', buffered: true });
    const { animate } = Element.prototype;
    Element.prototype.animate = function (frames, options) {
      const ms = typeof options === 'number' ? options : Number(options?.duration);
      seen.moved.push({ of: this.getAttribute('data-lamp') ?? this.nodeName, ms });
      return animate.call(this, frames, options);
    };
  });
}

const seenOn = (page: Page) => page.evaluate(() => (window as unknown as { seen: Seen }).seen);
/** Two frames: by then the layout effect of the last change has been reported. */
const settled = (page: Page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

const flags = '16210313421097356768';
const prefix = 'form/relay';

/** A semaphore of one slot in the Go layout with two sessions, of which the first holds. */
async function relay(consul: TestConsul, baseUrl: string) {
  const client = consul.client();
  const sessions = await Promise.all(
    ['runner-1', 'runner-2'].map((name) =>
      client.createSession({ name, ttlMs: null, behavior: 'delete', lockDelayMs: 0, checks: [] }),
    ),
  );
  for (const session of sessions)
    await client.acquire({ key: `${prefix}/${session}`, value: Buffer.from(''), flags, session });
  const give = async (session: string | undefined) => {
    const index = (await client.get(`${prefix}/.lock`)).value?.modifyIndex ?? '0';
    const value = Buffer.from(JSON.stringify({ Limit: 1, Holders: { [session ?? '']: true } }));
    await client.cas({ key: `${prefix}/.lock`, value, flags, index });
  };
  await give(sessions[0]);
  // A change still on its way would be taken for an effect of the hand-over.
  await until(
    async () => {
      const { semaphores, findings } = (await (
        await fetch(`${baseUrl}/api/v1/snapshot?prefix=${prefix}`)
      ).json()) as Snapshot;
      const [relay] = semaphores;
      // By name: an earlier relay's leftovers may have the same number.
      const isGiven =
        relay?.holders[0]?.sessionId === sessions[0] && relay?.waiters[0]?.sessionId === sessions[1];
      // Shown a moment after the rows, it would push everything down while the slot is passed on.
      return isGiven && findings.some(({ code }) => code === 'endless-holder');
    },
    { what: 'the relay in view', timeoutMs: 30_000 },
  );
  return {
    passOn: () => give(sessions[1]),
    end: () => Promise.all(sessions.map((id) => client.destroySession(id))),
  };
}

/** Which rows there are, whatever they say. */
async function rowsOf(baseUrl: string): Promise<string> {
  const snapshot = (await (await fetch(`${baseUrl}/api/v1/snapshot`)).json()) as Snapshot;
  const { locks, semaphores, sessions, findings } = snapshot;
  return JSON.stringify([
    locks.map(({ key, state }) => [key, state]),
    semaphores.map(({ prefix, recorded, waiters }) => [prefix, recorded, waiters?.length]),
    sessions.map(({ id }) => id),
    findings.map(({ id }) => id),
  ]);
}

for (const width of [360, 1440])
  test(`no screen shifts while it arrives, at ${width} px`, async ({
    page,
    consul,
    baseUrl,
    consoleErrors,
  }) => {
    test.setTimeout(300_000);
    consoleErrors.allow(/no-such-page/);
    const { sessionId } = await furnish(consul);
    await inView(baseUrl);
    await page.setViewportSize({ width, height: 900 });
    await watchForm(page);
    const faults: string[] = [];
    for (const path of screensOf(sessionId)) {
      // A session of an earlier test may end meanwhile, and its row leaves: that is no shift of the page's own.
      const shifts = await until(
        async () => {
          const before = await rowsOf(baseUrl);
          await page.goto(path);
          await expect(page.getByText(/^live/).first()).toBeVisible();
          await settled(page);
          const seen = (await seenOn(page)).shifts;
          return (await rowsOf(baseUrl)) === before && seen;
        },
        { what: `${path} in a world that stands still`, timeoutMs: 60_000 },
      );
      for (const { value, of } of shifts)
        if (value > shiftMax) faults.push(`${path}: ${value} ${of.join(' | ')}`);
    }
    expect(faults).toEqual([]);
  });

test('no piece of a document that arrives slowly moves another, at 360 to 1440 px', async ({
  page,
  consul,
  baseUrl,
}) => {
  test.setTimeout(180_000);
  await furnish(consul);
  await inView(baseUrl);
  await watchForm(page);
  const front = await startPiecemeal(baseUrl, 500);
  const faults: string[] = [];
  /** Sessions of earlier tests may end meanwhile, and a count with another digit is no piece of the document. */
  const counts = async () => {
    const { locks, semaphores, sessions, findings } = (await (
      await fetch(`${baseUrl}/api/v1/snapshot`)
    ).json()) as Snapshot;
    return JSON.stringify([
      locks.map(({ state }) => state),
      semaphores.map(({ holders, waiters }) => [holders.length, waiters.length]),
      sessions.length,
      findings.map(({ severity }) => severity),
    ]);
  };
  const visit = async (path: string) => {
    const before = await counts();
    await page.goto(`${front.url}${path}`, { waitUntil: 'commit' });
    do await settled(page);
    while (front.next());
    await expect(page.getByText(/^live/).first()).toBeVisible();
    await settled(page);
    const { shifts } = await seenOn(page);
    return (await counts()) === before ? shifts : null;
  };
  for (const width of [360, 768, 1024, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    for (const path of ['/', '/semaphore?prefix=form%2Fpool']) {
      let shifts = await visit(path);
      while (shifts === null) shifts = await visit(path);
      for (const { value, of } of shifts)
        if (value > shiftMax) faults.push(`${path} at ${width} px: ${value} ${of.join(' | ')}`);
    }
  }
  // The page asks for more as long as it is open.
  await page.goto('about:blank');
  await front.stop();
  expect(faults).toEqual([]);
});

test('fonts that come late move nothing', async ({ page, consul, baseUrl }) => {
  await furnish(consul);
  await inView(baseUrl);
  await watchForm(page);
  let held = 0;
  let may = new Promise<void>(() => {});
  await page.route('**/*.woff2', async (route) => {
    held += 1;
    await may;
    await route.continue();
  });
  for (const path of ['/', '/semaphore?prefix=form%2Fpool']) {
    const before = held;
    let release = () => {};
    // Also those that are asked for after it: the page waits for every one.
    may = new Promise((resolve) => {
      release = resolve;
    });
    await page.goto(path, { waitUntil: 'commit' });
    await expect(page.getByText(/^live/).first()).toBeVisible();
    await expect.poll(() => held).toBeGreaterThan(before);
    await settled(page);
    const arrived = page.waitForResponse(/woff2/);
    release();
    await (await arrived).finished();
    await page.evaluate(() => document.fonts.ready);
    await settled(page);
    const { shifts } = await seenOn(page);
    expect(shifts.filter(({ value }) => value > shiftMax)).toEqual([]);
  }
});

for (const path of ['/?q=form%2Frelay', `/semaphore?prefix=${encodeURIComponent(prefix)}`])
  test(`a slot that passes on is seen in its place and shifts nothing, on ${path.split('?')[0]}`, async ({
    page,
    consul,
    baseUrl,
  }) => {
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    const { passOn, end } = await relay(consul, baseUrl);
    await watchForm(page);
    await page.goto(path);
    await expect(page.getByText('runner-1').first()).toBeVisible();
    // In a document that does not answer yet nothing passes on: it comes to life with the next one in.
    await expect(page.getByText(/^live/).first()).toBeVisible();
    await passOn();
    await expect(page.getByText('runner-2').first()).toBeVisible();
    await expect.poll(async () => (await seenOn(page)).moved).toContainEqual({ of: 'immortal', ms: 200 });
    await settled(page);
    expect((await seenOn(page)).shifts.filter(({ value }) => value > shiftMax)).toEqual([]);
    await end();
  });

test('nothing moves for a person who asked for less motion', async ({ page, consul, baseUrl }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const { passOn, end } = await relay(consul, baseUrl);
  await watchForm(page);
  await page.goto(`/semaphore?prefix=${encodeURIComponent(prefix)}`);
  await expect(page.getByText('runner-1').first()).toBeVisible();
  await expect(page.getByText(/^live/).first()).toBeVisible();
  await passOn();
  // The waiter has become a holder.
  await expect(page.getByRole('button', { name: /^Evict runner-2/ }).first()).toBeVisible();
  await settled(page);
  expect((await seenOn(page)).moved).toEqual([]);
  await end();
});
