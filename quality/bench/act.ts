/** From a click in a real page to its effect on screen. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Locator, Page } from '@playwright/test';
import { paths } from '@/lib/client/paths';
import { en } from '@/lib/i18n/messages';
import { pause } from '@/lib/providers/consul/client/clock';
import { lockFlags, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { startConsul } from '@/test/support/consul';
import { startServer } from '@/test/support/server';
import { launchChromium, untilLive } from './browser';
import { atMost, type Bench, type BenchStage, ms, plainFigure, quantile } from './figure';
import { furnish, makeSession } from './furnished';
import { type Plain, plainHttp } from './plain';
import { within } from './within';

const rounds = 46;
const warmUp = 6;
/** The rest of a new page before it is used. */
const restMs = 400;

interface Pair {
  readonly Key: string;
  readonly Value: string | null;
  readonly Flags: number;
  readonly Session?: string;
  readonly ModifyIndex: number;
}

/** A held lock, or a semaphore with one holder, made for one action. */
interface Subject {
  readonly name: string;
  readonly session: string;
}

async function makeLock(plain: Plain, name: string): Promise<Subject> {
  const session = await makeSession(plain, 'act-holder');
  await plain.json('PUT', `/v1/kv/${name}?acquire=${session}&flags=${lockFlags}`, '{"owner":"act"}');
  return { name, session };
}

async function makeSemaphore(plain: Plain, name: string): Promise<Subject> {
  const session = await makeSession(plain, 'act-holder', 'delete');
  await plain.json('PUT', `/v1/kv/${name}/${session}?acquire=${session}&flags=${semaphoreFlags}`, '');
  const body = JSON.stringify({ Limit: 3, Holders: { [session]: true } });
  await plain.json('PUT', `/v1/kv/${name}/.lock?flags=${semaphoreFlags}`, body);
  return { name, session };
}

type Hand = Pick<Plain, 'json'>;

/** Sends each request by a process of `curl`, as a shell script does. */
const curl = (address: string): Hand => ({
  json: async <T>(method: string, path: string, body?: string | Buffer) => {
    const data = body === undefined ? [] : ['--data-binary', body.toString()];
    const { stdout } = await promisify(execFile)('curl', [
      '-sSf',
      '-X',
      method,
      ...data,
      `http://${address}${path}`,
    ]);
    return JSON.parse(stdout) as T;
  },
});

/** A careful operator's steps with curl: one request after another, each answer checked before the next. */
const byHand = {
  /** Read the key, unlock it in a transaction if the acquisition is the same, read the key again. */
  'hand a lock over': async (plain: Hand, { name, session }: Subject) => {
    const [row] = await plain.json<Pair[]>('GET', `/v1/kv/${name}?consistent`);
    if (row?.Session !== session) throw new Error(`${name} is not held as expected.`);
    const index = row.ModifyIndex;
    await plain.json(
      'PUT',
      '/v1/txn',
      `[{"KV":{"Verb":"check-session","Key":"${name}","Session":"${session}"}},{"KV":{"Verb":"check-index","Key":"${name}","Index":${index}}},{"KV":{"Verb":"unlock","Key":"${name}","Value":"${row.Value}","Flags":${lockFlags},"Session":"${session}"}}]`,
    );
    const [after] = await plain.json<Pair[]>('GET', `/v1/kv/${name}?consistent`);
    if (after?.Session !== undefined) throw new Error(`${name} is still held.`);
  },
  /**
   * Read the session and everything that it holds, destroy it, read the semaphore, remove the record by comparison,
   * read the semaphore again.
   */
  'evict a holder with its session': async (plain: Hand, { name, session }: Subject) => {
    const [known] = await plain.json<unknown[]>('GET', `/v1/session/info/${session}?consistent`);
    if (known === undefined) throw new Error(`${session} is gone.`);
    const all = await plain.json<Pair[]>('GET', '/v1/kv/?recurse&consistent');
    if (all.filter((row) => row.Session === session).length !== 1) throw new Error(`${session} holds more.`);
    await plain.json('PUT', `/v1/session/destroy/${session}`);
    const rows = await plain.json<Pair[]>('GET', `/v1/kv/${name}/?recurse&consistent`);
    const row = rows.find(({ Key }) => Key === `${name}/.lock`);
    const body = JSON.parse(Buffer.from(row?.Value ?? '', 'base64').toString('utf8'));
    delete body.Holders[session];
    const path = `/v1/kv/${name}/.lock?cas=${row?.ModifyIndex}&flags=${semaphoreFlags}`;
    if (!(await plain.json<boolean>('PUT', path, JSON.stringify(body)))) throw new Error('The entry moved.');
    const after = await plain.json<Pair[]>('GET', `/v1/kv/${name}/?recurse&consistent`);
    if (after.some((one) => one.Session === session)) throw new Error(`${session} still holds.`);
  },
} as const;
type Deed = keyof typeof byHand;

const making: Readonly<Record<Deed, (plain: Plain, name: string) => Promise<Subject>>> = {
  'hand a lock over': makeLock,
  'evict a holder with its session': makeSemaphore,
};

/** Opens the subject's page and the action's dialog. Resolves with its confirming button, ready to be clicked. */
const opening: Readonly<Record<Deed, (page: Page, baseUrl: string, name: string) => Promise<Locator>>> = {
  'hand a lock over': async (page, baseUrl, name) => {
    await page.goto(`${baseUrl}${paths.lock(name)}`);
    await untilLive(page);
    await page.getByRole('button', { name: en.action.more }).click();
    await page.getByRole('menuitem', { name: en.action.menu['hand-over'] }).click();
    return readyButton(page);
  },
  'evict a holder with its session': async (page, baseUrl, name) => {
    await page.goto(`${baseUrl}${paths.semaphore(name)}`);
    await untilLive(page);
    await page
      .getByRole('article')
      .getByRole('button', { name: /^Evict/ })
      .click();
    return readyButton(page);
  },
};

async function readyButton(page: Page): Promise<Locator> {
  const dialog = page.getByRole('dialog');
  await dialog.getByText(en.action.sections.writes).waitFor();
  await dialog.getByLabel(en.action.reason).fill('measured');
  // The dialog asks for the name of a holder that may be alive.
  const confirm = dialog.locator('label code');
  if ((await confirm.count()) > 0)
    await dialog
      .locator('input')
      .last()
      .fill(await confirm.innerText());
  const button = dialog.getByRole('button').last();
  await button.and(page.locator(':not([aria-disabled])')).waitFor();
  return button;
}

/** Times of the page's clock. */
interface Clicked {
  /** The browser received the click. */
  readonly clickedMs: number;
  /** The dialog shows the outcome. */
  readonly answeredMs: number;
  /** The first drawn frame without a held slot of the subject. */
  readonly seenMs: number;
}

/** Waits for the next click and its effects. Runs in the page, which keeps the promise. */
function watchClick(): void {
  const clicked = new Promise<Clicked>((resolve) => {
    let clickedMs = 0;
    let answeredMs = 0;
    document.addEventListener(
      'click',
      ({ timeStamp }) => {
        clickedMs = timeStamp;
      },
      { capture: true, once: true },
    );
    const observer = new MutationObserver(() => {
      if (answeredMs === 0 && document.querySelector('[role=dialog] ol') !== null)
        answeredMs = performance.now();
      const lamps = [...document.querySelectorAll<HTMLElement>('main li > [data-lamp]')];
      if (clickedMs === 0 || answeredMs === 0 || lamps.length === 0) return;
      if (lamps.some(({ dataset }) => dataset.lamp !== 'free')) return;
      observer.disconnect();
      requestAnimationFrame(() => {
        const after = new MessageChannel();
        after.port1.onmessage = () => resolve({ clickedMs, answeredMs, seenMs: performance.now() });
        after.port2.postMessage(null);
      });
    });
    observer.observe(document.body, { subtree: true, attributes: true, childList: true });
  });
  Object.assign(window, { clicked });
}

const followClick = (page: Page) =>
  page.evaluate(() => (window as unknown as { clicked: Promise<Clicked> }).clicked);

interface Times {
  /** Times with a process of `curl` for each request. */
  readonly hand: number[];
  /** Times of the same requests over an open connection. */
  readonly kept: number[];
  readonly answered: number[];
  readonly seen: number[];
}

async function measure({ say }: BenchStage, page: Page, baseUrl: string, plain: Plain, hands: Hand) {
  const deeds = Object.keys(byHand) as Deed[];
  const times = Object.fromEntries(
    deeds.map((deed) => [deed, { hand: [], kept: [], answered: [], seen: [] }]),
  ) as unknown as Record<Deed, Times>;
  const took = async (act: () => Promise<void>) => {
    await pause(restMs);
    const beganMs = performance.now();
    await act();
    return performance.now() - beganMs;
  };
  for (let i = 0; i < rounds; i += 1)
    for (const deed of deeds) {
      const make = (side: string) => making[deed](plain, `act/${side}-${i}-${deed.slice(0, 4)}`);
      const [hand, kept, ours] = [await make('hand'), await make('kept'), await make('ours')];
      const button = await opening[deed](page, baseUrl, ours.name);
      const handMs = await took(() => byHand[deed](hands, hand));
      const keptMs = await took(() => byHand[deed](plain, kept));
      // The pointer rests on the button first, so that only the click counts.
      await button.hover();
      await page.evaluate(watchClick);
      await pause(restMs);
      const effect = followClick(page);
      await page.mouse.down();
      await page.mouse.up();
      const { clickedMs, answeredMs, seenMs } = await within(`the page shows ${ours.name} free`, effect);
      if (i < warmUp) continue;
      times[deed].hand.push(handMs);
      times[deed].kept.push(keptMs);
      times[deed].answered.push(answeredMs - clickedMs);
      times[deed].seen.push(seenMs - clickedMs);
    }
  for (const deed of deeds)
    say(`${deed}: ${ms(quantile(times[deed].seen, 0.5))} and ${ms(quantile(times[deed].hand, 0.5))}`);
  return times;
}

export const bench: Bench = {
  title: 'Act: from a click to its effect on screen',
  about: `${rounds - warmUp} times each, in turns. A person has the page of the lock or semaphore open in Chromium without a GPU, with the dialog planned and its reason written, and clicks its last button with a real mouse event. Answered: the dialog says what came of it. Seen: the frame is drawn in which the page shows the slot free, and the dialog its answer. Time counts from the moment at which the browser got the click. Beside it the same done by hand with curl: the reads and the conditional writes of a careful person, the next as soon as the last is answered, up to the read that shows the effect. Told besides: the same requests over a connection that is open already. 1,000 entries in view. Ours authorises, puts the intent on record (on disk) before and the outcome after.`,
  excluded: `The first ${warmUp} rounds. Opening the page and the dialog, and planning.`,
  run: async (stage) => {
    const consul = await startConsul();
    const plain = plainHttp(consul.address);
    stage.defer(plain.close);
    await furnish(plain, { prefix: 'board/', locks: 604, semaphores: 66 });
    const signalbox = await startServer({ consulAddress: consul.address });
    stage.defer(signalbox.stop);
    const browser = await launchChromium();
    stage.defer(() => browser.close());
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const times = await measure(stage, page, signalbox.baseUrl, plain, curl(consul.address));
    const figures = (Object.entries(times) as [Deed, Times][]).flatMap(
      ([deed, { hand, kept, answered, seen }]) => {
        const values = (ours: readonly number[], compared: readonly number[]) => ({
          ours: quantile(ours, 0.5),
          compared: quantile(compared, 0.5),
          show: ms,
        });
        return [
          atMost(`${deed}: click to seen, median`, { ...values(seen, hand), max: 1.5 }),
          plainFigure(`${deed}: click to answered, median`, values(answered, hand)),
          plainFigure(`${deed}: click to seen, beside a connection that is open already`, values(seen, kept)),
        ];
      },
    );
    return { compared: 'by hand', figures };
  },
};
