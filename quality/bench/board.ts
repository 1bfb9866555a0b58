/**
 * The board with ten thousand rows, beside one with a hundred: the time to paint, and the response to typing and
 * scrolling.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from '@playwright/test';
import { startConsul } from '@/test/support/consul';
import { startServer } from '@/test/support/server';
import { launchChromium, type Tasks, tasksDuring, untilLive } from './browser';
import {
  atMost,
  type Bench,
  type BenchStage,
  type Figure,
  ms,
  noMoreThan,
  plainFigure,
  quantile,
} from './figure';
import { furnish } from './furnished';
import { type Plain, plainHttp } from './plain';

const opens = 7;
const sought = 'lock-0042';
const keyMs = 70;
const taskMaxMs = 50;
/** Interval of lock changes during typing and scrolling. */
const changeEveryMs = 200;

interface Board {
  readonly baseUrl: string;
  readonly change: (round: number) => Promise<void>;
}

interface Opened {
  readonly paintMs: number;
  readonly liveMs: number;
}

async function startBoard(
  { defer }: BenchStage,
  { locks, semaphores }: { locks: number; semaphores: number },
): Promise<Board> {
  const consul = await startConsul();
  const plain: Plain = plainHttp(consul.address);
  defer(plain.close);
  const made = await furnish(plain, { prefix: 'load/', locks, semaphores });
  const signalbox = await startServer({ consulAddress: consul.address });
  defer(signalbox.stop);
  return {
    baseUrl: signalbox.baseUrl,
    change: async (round) => {
      const lock = made.locks[(round * 37) % made.locks.length];
      if (lock === undefined) return;
      const verb = Math.floor((round * 37) / made.locks.length) % 2 === 0 ? 'release' : 'acquire';
      await plain.json('PUT', `/v1/kv/${lock.key}?${verb}=${lock.session}`, 'changed');
    },
  };
}

/** A visit with an empty cache, up to the first paint and up to the whole world. */
async function open(browser: Browser, { baseUrl }: Board): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    const page = await context.newPage();
    const began = performance.now();
    await page.goto(baseUrl, { waitUntil: 'commit' });
    await untilLive(page);
    const liveMs = performance.now() - began;
    const paintMs = await page.evaluate(
      () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    );
    return { paintMs, liveMs };
  } finally {
    await context.close();
  }
}

/** From each key to the frame that shows it, with the tasks of the main thread and the list behind. */
async function type(browser: Browser, page: Page): Promise<{ keysMs: number[]; tasks: Tasks }> {
  await page.evaluate(() => {
    const seen: number[] = [];
    Object.assign(window, { seen });
    document.addEventListener(
      'input',
      ({ timeStamp }) => {
        requestAnimationFrame(() => {
          const after = new MessageChannel();
          after.port1.onmessage = () => seen.push(performance.now() - timeStamp);
          after.port2.postMessage(null);
        });
      },
      { capture: true },
    );
  });
  const search = page.getByRole('searchbox');
  const tasks = await tasksDuring(browser, page, async () => {
    for (let n = 0; n < 3; n += 1) {
      await search.click();
      await search.pressSequentially(sought, { delay: keyMs });
      for (const _ of sought) await search.press('Backspace', { delay: keyMs });
    }
    await page.evaluate(() => new Promise((done) => requestIdleCallback(done)));
  });
  const keysMs = await page.evaluate(() => (window as unknown as { seen: number[] }).seen);
  return { keysMs, tasks };
}

async function scroll(browser: Browser, page: Page): Promise<Tasks> {
  await page.mouse.move(720, 600);
  return tasksDuring(browser, page, async () => {
    for (const by of [400, 1200, -400, 6000, -3000])
      for (let n = 0; n < 12; n += 1) {
        await page.mouse.wheel(0, by);
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
      }
  });
}

interface Used {
  readonly keysMs: readonly number[];
  readonly typing: Tasks;
  readonly scrolling: Tasks;
  /** The untouched page. */
  readonly html: string;
}

/** Types and scrolls on a board where five locks change hands each second. */
async function use(browser: Browser, board: Board): Promise<Used> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  let round = 0;
  const changes = setInterval(() => {
    round += 1;
    void board.change(round).catch(() => {});
  }, changeEveryMs);
  try {
    const page = await context.newPage();
    await page.goto(board.baseUrl);
    await untilLive(page);
    // Work ahead of time and in idle moments belongs to the arrival.
    await page.waitForTimeout(3_000);
    const html = await page.content();
    const { keysMs, tasks } = await type(browser, page);
    return { keysMs, typing: tasks, scrolling: await scroll(browser, page), html };
  } finally {
    clearInterval(changes);
    await context.close();
  }
}

/** Repetitions of the page's rows, which cover the scrolling here. */
const repeated = 30;

/**
 * The machine's own share: the same page as dead HTML and styles, with its rows repeated for scrolling, without script
 * and changes.
 */
async function useDead(browser: Browser, { defer }: BenchStage, html: string, baseUrl: string) {
  const dead = html
    .replace(/<script[\s\S]*?<\/script>/g, '')
    .replace(
      /(<tbody[^>]*>)([\s\S]*?)(<\/tbody>)/,
      (_, open, rows, close) => open + rows.repeat(repeated) + close,
    )
    .replace('<head>', `<head><base href="${baseUrl}/">`);
  const server = createServer((_, answer) =>
    answer.setHeader('content-type', 'text/html; charset=utf-8').end(dead),
  );
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  defer(() => server.close());
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const { tasks } = await type(browser, page);
    return { typing: tasks, scrolling: await scroll(browser, page) };
  } finally {
    await context.close();
  }
}

/** The machine's own share, beside the figure above it. */
function floor(what: string, { tookMs }: Tasks): Figure {
  return { what, ours: '-', compared: ms(tookMs[0] ?? 0), ratio: null, goal: null };
}

/** The goal is the person's wait. The thread's own time shows the cause. */
function noTaskOver(what: string, ours: Tasks, compared: Tasks): Figure[] {
  const over = (list: readonly number[]) => list.filter((task) => task > taskMaxMs).length;
  const longest = ({ tookMs }: Tasks) => tookMs[0] ?? 0;
  const own = ({ ownMs }: Tasks) => ownMs[0] ?? 0;
  return [
    noMoreThan(
      `longest task while ${what} (${over(ours.tookMs)} of ${ours.tookMs.length} tasks over ${taskMaxMs} ms)`,
      { ours: longest(ours), compared: longest(compared), max: taskMaxMs, show: ms },
    ),
    plainFigure(
      `longest while ${what}, in the thread's own time (${over(ours.ownMs)} over ${taskMaxMs} ms)`,
      {
        ours: own(ours),
        compared: own(compared),
        show: ms,
      },
    ),
  ];
}

export const bench: Bench = {
  title: 'Board: 10,000 rows beside 100',
  about: `Two consoles, each on its own Consul: 9,800 locks and 200 semaphores (10,000 rows on the board), and 95 locks and 5 semaphores. Chromium without a GPU at 1440 x 900 opens each board ${opens} times in turn with an empty cache: until something is painted (\`first-contentful-paint\`), and until it is live with the whole world. Then somebody types \`${sought}\` three times into the search, a key each ${keyMs} ms, deletes it again, and scrolls, while five locks a second change hands: from each key to the frame that shows it, and the longest task of the page's main thread (from a trace), the list that follows what was typed included; in all, and in the time that the thread itself ran, as the page shares two cores with the processes that draw it, two consoles and two Consuls. What the machine takes for itself is told beside it: the same keys and the same scrolling on the same HTML and styles with its rows ${repeated} times over, without a script and without changes.`,
  excluded:
    'One visit of each board before the visits that count. Before typing 3 s for what the page loads in idle moments.',
  run: async (stage) => {
    const { defer, say } = stage;
    const large = await startBoard(stage, { locks: 9_800, semaphores: 200 });
    const small = await startBoard(stage, { locks: 95, semaphores: 5 });
    const browser = await launchChromium();
    defer(() => browser.close());
    await open(browser, large);
    await open(browser, small);
    const opened = { large: [] as Opened[], small: [] as Opened[] };
    for (let n = 0; n < opens; n += 1) {
      opened.large.push(await open(browser, large));
      opened.small.push(await open(browser, small));
    }
    say('opened; now typing and scrolling');
    const used = { large: await use(browser, large), small: await use(browser, small) };
    const dead = await useDead(browser, stage, used.large.html, large.baseUrl);
    const median = (list: readonly Opened[], of: keyof Opened) =>
      quantile(
        list.map((one) => one[of]),
        0.5,
      );
    const keys = (q: number) => ({
      ours: quantile(used.large.keysMs, q),
      compared: quantile(used.small.keysMs, q),
      max: 2,
      show: ms,
    });
    return {
      compared: '100 rows',
      figures: [
        atMost('first paint, median', {
          ours: median(opened.large, 'paintMs'),
          compared: median(opened.small, 'paintMs'),
          max: 2,
          show: ms,
        }),
        plainFigure('live, with the whole world, median', {
          ours: median(opened.large, 'liveMs'),
          compared: median(opened.small, 'liveMs'),
          show: ms,
        }),
        atMost('a key to the frame that shows it, median', keys(0.5)),
        atMost('a key to the frame that shows it, p95', keys(0.95)),
        ...noTaskOver('typing', used.large.typing, used.small.typing),
        floor('the same keys in a page of dead HTML (compared with: no console at all)', dead.typing),
        ...noTaskOver('scrolling', used.large.scrolling, used.small.scrolling),
        floor('the same scrolling of a page of dead HTML (compared with: no console at all)', dead.scrolling),
      ],
    };
  },
};
