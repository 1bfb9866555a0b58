/** From a write in Consul to a changed page in Chromium. */
import { startSignalbox } from '@/e2e/support/signalbox';
import { startConsul } from '@/test/support/consul';
import { launchChromium, untilLive } from './browser';
import { openEvents } from './events';
import { type Bench, ms, quantile } from './figure';
import { furnish } from './furnished';
import { plainHttp } from './plain';

const writes = 220;
const warmUp = 20;
const spacingMs = { min: 110, max: 170 };
const frameMs = 1000 / 60;

export const bench: Bench = {
  title: 'Wake to pixel: from a write in Consul to a changed page',
  about: `1,000 locks in view; ${writes} times a lock that stands on the screen is released or taken again, ${spacingMs.min}-${spacingMs.max} ms apart. The same write is seen by a plain client of the console's event stream, and by a page in Chromium that shows that lock: when a mutation observer finds its row changed. Both times are of one machine's clock (\`Date.now\` with its fraction from \`performance\`). The goal is the client's median and one frame of 60 Hz.`,
  run: async ({ defer }) => {
    const consul = await startConsul();
    const plain = plainHttp(consul.address);
    defer(plain.close);
    const made = await furnish(plain, { prefix: 'load/', locks: 1_000 });
    const [lock] = made.locks;
    if (lock === undefined) throw new Error('There is no lock to write.');
    const signalbox = await startSignalbox({ consulAddress: consul.address });
    defer(signalbox.stop);
    const browser = await launchChromium();
    defer(() => browser.close());
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${signalbox.baseUrl}/?q=${encodeURIComponent(lock.key)}`);
    await untilLive(page);
    const now = () => performance.timeOrigin + performance.now();
    let event: (atMs: number) => void = () => {};
    let pixel: (atMs: number) => void = () => {};
    await page.exposeFunction('changed', (atMs: number) => pixel(atMs));
    await page.evaluate((id) => {
      const row = document.querySelector(`[data-row="${CSS.escape(id)}"]`);
      const state = () => row?.querySelector('[data-lamp]')?.getAttribute('data-lamp');
      let before = state();
      new MutationObserver(() => {
        if (state() === before) return;
        before = state();
        (window as unknown as { changed: (atMs: number) => void }).changed(
          performance.timeOrigin + performance.now(),
        );
      }).observe(row ?? document.body, { subtree: true, attributes: true, childList: true });
    }, `lock:${lock.key}`);
    const events = await openEvents(signalbox.baseUrl, ({ event: name, data }) => {
      if (name === 'patch' && data.includes(lock.key)) event(now());
    });
    defer(events.close);
    const samples: { eventMs: number; pixelMs: number }[] = [];
    for (let n = 0; n < writes; n += 1) {
      const seen = Promise.all([
        new Promise<number>((resolve) => {
          event = resolve;
        }),
        new Promise<number>((resolve) => {
          pixel = resolve;
        }),
      ]);
      const began = now();
      await plain.json(
        'PUT',
        `/v1/kv/${lock.key}?${n % 2 === 0 ? 'release' : 'acquire'}=${lock.session}`,
        'x',
      );
      const [eventAt, pixelAt] = await Promise.race([
        seen,
        new Promise<never>((_, reject) =>
          setTimeout(() => reject(new Error('A write was not seen within 10 s.')), 10_000),
        ),
      ]);
      if (n >= warmUp) samples.push({ eventMs: eventAt - began, pixelMs: pixelAt - began });
      const { min, max } = spacingMs;
      await new Promise((resolve) => setTimeout(resolve, min + Math.random() * (max - min)));
    }
    const of = (pick: 'eventMs' | 'pixelMs', q: number) =>
      quantile(
        samples.map((one) => one[pick]),
        q,
      );
    const [pixelMs, eventMs] = [of('pixelMs', 0.5), of('eventMs', 0.5)];
    return {
      compared: 'the event at a plain client',
      figures: [
        {
          what: 'median',
          ours: ms(pixelMs),
          compared: ms(eventMs),
          ratio: pixelMs / eventMs,
          goal: `<= ${ms(eventMs)} + one frame (${ms(frameMs)})`,
          met: pixelMs <= eventMs + frameMs,
        },
        {
          what: 'p99',
          ours: ms(of('pixelMs', 0.99)),
          compared: ms(of('eventMs', 0.99)),
          ratio: of('pixelMs', 0.99) / of('eventMs', 0.99),
          goal: null,
          met: null,
        },
      ],
    };
  },
};
