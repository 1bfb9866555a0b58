/** From a write in Consul to a changed page in Chromium, with the whole board on the screen. */
import type { Browser, Page } from '@playwright/test';
import { says } from '@/lib/domain/world/change';
import { startConsul } from '@/test/support/consul';
import { startServer } from '@/test/support/server';
import { launchChromium, untilLive } from './browser';
import { writeAs } from './crowd';
import { openEventSource } from './event-source';
import { type Bench, type BenchStage, type Figure, ms, noMoreThan, plainFigure, quantile } from './figure';
import { furnish } from './furnished';
import { pageClock } from './page-clock';
import { plainHttp } from './plain';
import { within } from './within';

const writes = 220;
const warmUp = 20;
const spacingMs = { min: 110, max: 170 };
const frameMs = 1000 / 60;
const width = 1440;

interface Board {
  readonly name: string;
  readonly locks: number;
  readonly path: string;
  /** The height of the window, in pixels. */
  readonly height: number;
  /** The fewest rows on the screen. */
  readonly rowsMin: number;
}

const boards: readonly Board[] = [
  // A row has 32 px, and the page a head.
  { name: '1,000 rows, all on the screen', locks: 1_000, path: '/', height: 33_000, rowsMin: 1_000 },
  { name: '10,000 rows, a window of them', locks: 10_000, path: '/?sort=name', height: 900, rowsMin: 15 },
];

/** The ids of the rows that are entirely on the screen. Runs in the page. */
const rowsOnScreen = (): string[] =>
  [...document.querySelectorAll<HTMLElement>('[data-row]')]
    .filter((row) => {
      const { top, bottom, height } = row.getBoundingClientRect();
      return height > 0 && top >= 0 && bottom <= innerHeight;
    })
    .map((row) => row.dataset.row ?? '');

interface Drawn {
  /** The time of the change in the DOM. */
  readonly changedMs: number;
  /** The time of the drawn frame with it. */
  readonly paintedMs: number;
}

/** Waits for the next change of a row's lamp. Runs in the page, which keeps the promise. */
function watchRow(id: string): void {
  const row = document.querySelector(`[data-row="${CSS.escape(id)}"]`);
  if (row === null) throw new Error(`${id} is not on the board.`);
  const lamp = () => row.querySelector('[data-lamp]')?.getAttribute('data-lamp');
  const before = lamp();
  const drawn = new Promise<Drawn>((resolve) => {
    const observer = new MutationObserver(() => {
      if (lamp() === before) return;
      const changedMs = performance.now();
      observer.disconnect();
      requestAnimationFrame(() => {
        const after = new MessageChannel();
        after.port1.onmessage = () => resolve({ changedMs, paintedMs: performance.now() });
        after.port2.postMessage(null);
      });
    });
    observer.observe(row, { subtree: true, attributes: true, childList: true });
  });
  Object.assign(window, { drawn });
}

const drawnRow = (page: Page) => page.evaluate(() => (window as unknown as { drawn: Promise<Drawn> }).drawn);

/** Opens the board. Resolves with its rows once the screen is full. */
async function openBoard(page: Page, baseUrl: string, { path, rowsMin }: Board): Promise<string[]> {
  await page.goto(`${baseUrl}${path}`);
  await untilLive(page);
  for (let before = -1; ; ) {
    const rows = await page.evaluate(rowsOnScreen);
    // Rows come in portions, so all have come once no more come.
    if (rows.length === before && rows.length >= rowsMin) return rows;
    before = rows.length;
    await page.waitForTimeout(1_000);
  }
}

interface Sample {
  readonly eventMs: number;
  readonly changedMs: number;
  readonly paintedMs: number;
}

async function measure(board: Board, browser: Browser, stage: BenchStage): Promise<Figure[]> {
  const consul = await startConsul();
  const plain = plainHttp(consul.address);
  stage.defer(plain.close);
  const { locks } = await furnish(plain, { prefix: 'load/', locks: board.locks });
  const signalbox = await startServer({ consulAddress: consul.address });
  stage.defer(signalbox.stop);
  const ends: (() => unknown)[] = [];
  const page = await browser.newPage({ viewport: { width, height: board.height } });
  const rows = await within('all rows on the screen', openBoard(page, signalbox.baseUrl, board), 120_000);
  const shown = locks.filter(({ key }) => rows.includes(`lock:${key}`));
  stage.say(`${board.name}: ${rows.length} rows on the screen`);
  const clock = await pageClock(page);
  let expected: { key: string; seen: (atMs: number) => void } | null = null;
  await openEventSource(browser, signalbox.baseUrl, { defer: (end) => ends.push(end) }, ({ data, atMs }) => {
    if (expected !== null && says(JSON.parse(data), 'locks', expected.key)) expected.seen(atMs);
  });
  const samples: Sample[] = [];
  for (let n = 0; n < writes; n += 1) {
    // Each lock is freed and then retaken, all over the screen.
    const lock = shown[(Math.floor(n / 2) * 7919) % shown.length];
    if (lock === undefined) throw new Error('There is no lock on the screen.');
    const lamp = page.locator(`[data-row="lock:${lock.key}"] [data-lamp]`).first();
    const pixelsBefore = n === 0 ? await lamp.screenshot({ animations: 'disabled' }) : null;
    await page.evaluate(watchRow, `lock:${lock.key}`);
    const event = new Promise<number>((seen) => {
      expected = { key: lock.key, seen };
    });
    const beganMs = performance.now();
    const written = writeAs(plain, lock, `{"n":${n}}`, n % 2 === 0 ? 'release' : 'acquire');
    const seen = Promise.all([event, drawnRow(page), written]);
    const [eventMs, { changedMs, paintedMs }] = await within('a write on the page', seen);
    if (pixelsBefore?.equals(await lamp.screenshot({ animations: 'disabled' })))
      throw new Error('The page has changed, and its pixels have not.');
    if (n >= warmUp)
      samples.push({
        eventMs: eventMs - beganMs,
        changedMs: clock(changedMs) - beganMs,
        paintedMs: clock(paintedMs) - beganMs,
      });
    const { min, max } = spacingMs;
    await page.waitForTimeout(min + Math.random() * (max - min));
  }
  for (const end of ends) await end();
  await page.close();
  await signalbox.stop();
  await consul.stop();
  const values = (pick: keyof Sample, q: number) => {
    const at = (which: keyof Sample) =>
      quantile(
        samples.map((one) => one[which]),
        q,
      );
    return { ours: at(pick), compared: at('eventMs'), show: ms };
  };
  const changed = values('changedMs', 0.5);
  return [
    noMoreThan(`${board.name}: the row has changed, median`, {
      ...changed,
      max: changed.compared + frameMs,
      text: `<= ${ms(changed.compared)} + one frame (${ms(frameMs)})`,
    }),
    plainFigure(`${board.name}: the same, p99`, values('changedMs', 0.99)),
    plainFigure(`${board.name}: the frame with it is drawn, median`, values('paintedMs', 0.5)),
    plainFigure(`${board.name}: the same, p99`, values('paintedMs', 0.99)),
  ];
}

export const bench: Bench = {
  title: 'Wake to pixel: from a write in Consul to a changed page',
  about: `Two boards in Chromium without a GPU, ${width} pixels wide: 1,000 locks in a window that is high enough for all of their rows, in the order of a first visit; and 10,000 locks, by name, in a window of 900 pixels. ${writes - warmUp} times on each, ${spacingMs.min}-${spacingMs.max} ms apart, a lock somewhere on the screen is released, or taken again. The same write is seen by an \`EventSource\` in another page of that browser, as in "wake", and by the board: when a mutation observer finds the lamp of its row changed, and when the frame with it is drawn. Time counts from sending the \`PUT\`. At the first write a picture of the lamp must differ from one before. The goal is the median of the \`EventSource\` and one frame of 60 Hz.`,
  excluded: `The first ${warmUp} writes to each board. Opening the board, until all rows that fit stand there.`,
  run: async (stage) => {
    const browser = await launchChromium();
    stage.defer(() => browser.close());
    const figures: Figure[] = [];
    for (const board of boards) figures.push(...(await measure(board, browser, stage)));
    return { compared: "the event at a browser's EventSource", figures };
  },
};
