/** Today's tools for the same questions: Consul's own UI, and a script of curl and jq. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { says } from '@/lib/domain/world/change';
import { pause } from '@/lib/providers/consul/client/clock';
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { nextEnv } from '@/scripts/build.mjs';
import { findConsul } from '@/scripts/consul-binary.mjs';
import { leash } from '@/scripts/leash.mjs';
import { startConsul } from '@/test/support/consul';
import { startServer } from '@/test/support/server';
import { launchChromium } from './browser';
import { openEvents } from './events';
import { type Bench, type BenchStage, bytes, type Figure, ms, plainFigure, quantile } from './figure';
import { furnish } from './furnished';
import { type Plain, plainHttp } from './plain';
import { within } from './within';

const semaphores = 1_000;
/** Semaphores to open one after the other in Consul's UI. The rest is arithmetic. */
const opened = 8;
const changes = 12;
const giveUpMs = 20_000;
const prefix = 'today/';

/** A careful operator's script: waits for a change, names holders that came and left, and counts no dead ones. */
const script = `
index=0
while :; do
  curl -sS -D headers -o rows.json "http://$ADDRESS/v1/kv/${prefix}?recurse&index=$index&wait=60s"
  index=$(sed -n 's/^[Xx]-[Cc]onsul-[Ii]ndex: *\\([0-9]*\\).*/\\1/p' headers)
  jq -r '
    INDEX(.[] | select(.Session); .Session) as $alive
    | .[] | select(.Key | endswith("/.lock")) | .Key as $key
    | (.Value | @base64d | fromjson | .Holders | keys[]) | select($alive[.]) | "\\($key) \\(.)"
  ' rows.json | sort > now
  if [ -e before ]; then diff before now | sed -n 's/^[<>]/&/p'; else echo "learned $(wc -l < now)"; fi
  mv now before
done`;

interface Lines {
  /** Resolves with the time of the next matching line. */
  next(pattern: RegExp): Promise<number>;
  readonly answerBytes: number;
}

/** Starts the script in its own folder. */
function startScript({ defer }: BenchStage, address: string): Lines {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-script-'));
  const child: ChildProcess = leash(
    spawn('bash', ['-c', script], {
      cwd: dir,
      detached: true,
      env: nextEnv({ PATH: process.env.PATH, LC_ALL: 'C', ADDRESS: address }),
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  defer(() => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  });
  let wanted: { pattern: RegExp; seen: (atMs: number) => void } | null = null;
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    if (wanted?.pattern.test(text)) wanted.seen(performance.now());
  });
  return {
    next: (pattern) =>
      within(
        `a line of the script like ${pattern}`,
        new Promise((seen) => {
          wanted = { pattern, seen };
        }),
      ),
    get answerBytes() {
      return statSync(join(dir, 'rows.json')).size;
    },
  };
}

/** Counts the page's requests from now on. */
async function counting(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const count = { requests: 0, bytes: 0 };
  session.on('Network.requestWillBeSent', ({ request }) => {
    if (request.url.startsWith('http')) count.requests += 1;
  });
  session.on('Network.dataReceived', ({ dataLength, encodedDataLength }) => {
    count.bytes += encodedDataLength || dataLength;
  });
  const reset = () => Object.assign(count, { requests: 0, bytes: 0 });
  return { count, reset };
}

interface Learned {
  readonly requests: number;
  readonly bytes: number;
  readonly ms: number;
}

/** The setting that enables the UI. Consul renamed it in 1.9, and no version accepts the other's name. */
const uiSetting = (version: string) =>
  version.localeCompare('1.9', 'en', { numeric: true }) < 0 ? { ui: true } : { ui_config: { enabled: true } };

/**
 * True when the agent serves the scripts of its UI. A binary built without them answers with a page alone, or not at
 * all.
 */
async function hasUi(address: string): Promise<boolean> {
  const page = await (await fetch(`http://${address}/ui/`)).text();
  const script = /src="(\/ui\/assets\/[^"]+\.js)"/.exec(page)?.[1];
  if (script === undefined) return false;
  const answer = await fetch(`http://${address}${script}`);
  await answer.arrayBuffer();
  return answer.ok && /javascript/.test(answer.headers.get('content-type') ?? '');
}

/**
 * Opens some semaphores in Consul's UI as a person does, from the list to the value and back. Returns the cost of all.
 */
async function inConsulUi(browser: Browser, address: string) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const { count, reset } = await counting(page);
  const listMs = performance.now();
  await page.goto(`http://${address}/ui/dc1/kv/${prefix}`);
  await page.getByRole('link', { name: 'pool-00000' }).first().waitFor({ timeout: giveUpMs });
  const list: Learned = { ...count, ms: performance.now() - listMs };
  reset();
  const beganMs = performance.now();
  for (let i = 0; i < opened; i += 1) {
    await page
      .getByRole('link', { name: `pool-0000${i}` })
      .first()
      .click();
    await page.getByRole('link', { name: '.lock', exact: true }).first().click();
    await page.getByText('Holders').first().waitFor({ timeout: giveUpMs });
    await page.goBack();
    await page.goBack();
    await page.getByRole('link', { name: 'pool-00000' }).first().waitFor({ timeout: giveUpMs });
  }
  const each = { ...count, ms: performance.now() - beganMs };
  const times = semaphores / opened;
  await page.close();
  return {
    list,
    all: {
      requests: list.requests + each.requests * times,
      bytes: list.bytes + each.bytes * times,
      ms: list.ms + each.ms * times,
    } satisfies Learned,
    again: {
      requests: each.requests * times,
      bytes: each.bytes * times,
      ms: each.ms * times,
    } satisfies Learned,
  };
}

/** Opens our board, and counts everything that its first paint and its stream bring. */
async function inOurPage(browser: Browser, baseUrl: string): Promise<Learned> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const { count } = await counting(page);
  const beganMs = performance.now();
  await page.goto(`${baseUrl}/?q=today`);
  await page.getByText('pool-00000').first().waitFor({ timeout: giveUpMs });
  const took = performance.now() - beganMs;
  await page.waitForLoadState('load');
  await pause(1_000);
  await page.close();
  return { ...count, ms: took };
}

/** Removes a holder from the record, or puts it back. Resolves with the time of the request. */
function changing(plain: Plain) {
  const key = `${prefix}pool-00500/.lock`;
  let gone: string | null = null;
  return async (): Promise<number> => {
    const [row] = await plain.json<{ Value: string; ModifyIndex: number }[]>('GET', `/v1/kv/${key}`);
    const body = JSON.parse(Buffer.from(row?.Value ?? '', 'base64').toString('utf8'));
    if (gone === null) {
      gone = Object.keys(body.Holders)[0] ?? '';
      delete body.Holders[gone];
    } else {
      body.Holders[gone] = true;
      gone = null;
    }
    const path = `/v1/kv/${key}?cas=${row?.ModifyIndex}&flags=${semaphoreFlags}`;
    const sentMs = performance.now();
    if (!(await plain.json<boolean>('PUT', path, JSON.stringify(body)))) throw new Error('The entry moved.');
    return sentMs;
  };
}

function hasJq(): boolean {
  try {
    execFileSync('jq', ['--version']);
    execFileSync('curl', ['--version']);
    return true;
  } catch {
    return false;
  }
}

const span = (value: number) => (value < 10_000 ? ms(value) : `${count(value / 1_000)} s`);
const count = (value: number) => Math.round(value).toLocaleString('en');
const told = (what: string, ours: number, compared: number, show: (value: number) => string): Figure =>
  plainFigure(what, { ours, compared, show });

export const bench: Bench = {
  title: 'Today: what people use for the same questions',
  about: `${count(semaphores)} semaphores of two holders and one waiter each. *Who holds what* and *what has changed*, asked of Signalbox, of the Consul UI in the agent's own binary (driven in Chromium: the list of ${prefix}, then folder, \`.lock\`, back, for ${opened} semaphores; the rest is multiplied), and of a script that blocks with \`curl\`, reads holders that live with \`jq\`, and says the difference. ${changes} changes of one holder, seen by script and stream at the same time; time counts from sending the \`PUT\`.`,
  excluded: `Signalbox has read its world before anybody asks. The figures of the Consul UI beyond ${opened} semaphores are multiplied, and have no time of a person in them.`,
  run: async (stage) => {
    const { defer, say } = stage;
    const { version } = await findConsul();
    const consul = await startConsul({ extraConfig: uiSetting(version) });
    const plain = plainHttp(consul.address);
    defer(plain.close);
    await furnish(plain, { prefix, semaphores, holders: 2, waiters: 1 });
    say('furnished');
    const signalbox = await startServer({ consulAddress: consul.address });
    defer(signalbox.stop);
    const browser = await launchChromium();
    defer(() => browser.close());
    await fetch(`${signalbox.baseUrl}/api/v1/snapshot`).then((answer) => answer.text());

    // In turns with the three questions below, so that each finds the machine in the same state.
    const ui = (await hasUi(consul.address)) ? await inConsulUi(browser, consul.address) : null;
    say(ui === null ? 'UI not in this binary' : `Consul UI: ${count(ui.all.requests)} requests`);
    const page = await inOurPage(browser, signalbox.baseUrl);
    const beganMs = performance.now();
    let seen: (atMs: number) => void = () => {};
    let patchBytes = 0;
    const events = await openEvents(signalbox.baseUrl, ({ event, data, atMs }) => {
      if (event !== 'patch') return;
      if (!says(JSON.parse(data), 'semaphores', `${prefix}pool-00500`)) return;
      patchBytes = Math.max(patchBytes, data.length);
      seen(atMs);
    });
    defer(events.close);
    const stream: Learned = { requests: 1, bytes: events.bytes, ms: performance.now() - beganMs };
    const byScript = hasJq();
    const noticed = { ours: [] as number[], script: [] as number[] };
    let learned: Learned = { requests: 1, bytes: 0, ms: 0 };
    if (byScript) {
      const scriptMs = performance.now();
      const lines = startScript(stage, consul.address);
      learned = { requests: 1, ms: (await lines.next(/learned 2000/)) - scriptMs, bytes: lines.answerBytes };
      const change = changing(plain);
      for (let i = 0; i < changes; i += 1) {
        await pause(400);
        const line = lines.next(/pool-00500/);
        const event = within(
          'the patch',
          new Promise<number>((resolve) => {
            seen = resolve;
          }),
        );
        const sentMs = await change();
        noticed.ours.push((await event) - sentMs);
        noticed.script.push((await line) - sentMs);
      }
    }
    return {
      compared: 'today',
      figures: [
        ...(ui === null
          ? []
          : [
              told('all holders, page against Consul UI: requests', page.requests, ui.all.requests, count),
              told('all holders, page against Consul UI: bytes', page.bytes, ui.all.bytes, bytes),
              told(
                'all holders, page against Consul UI: time of the machine alone',
                page.ms,
                ui.all.ms,
                span,
              ),
              told('one change, stream against Consul UI: requests', 0, ui.again.requests, count),
              told('one change, stream against Consul UI: bytes', patchBytes, ui.again.bytes, bytes),
            ]),
        ...(byScript
          ? [
              told(
                'all holders, stream against the script: requests',
                stream.requests,
                learned.requests,
                count,
              ),
              told('all holders, stream against the script: bytes', stream.bytes, learned.bytes, bytes),
              told('all holders, stream against the script: time', stream.ms, learned.ms, ms),
              told('one change, stream against the script: requests', 0, 1, count),
              told('one change, stream against the script: bytes', patchBytes, learned.bytes, bytes),
              told(
                'one change, stream against the script: median time',
                quantile(noticed.ours, 0.5),
                quantile(noticed.script, 0.5),
                ms,
              ),
            ]
          : []),
      ],
      notes: [
        ui === null
          ? `UI not in this binary: Consul ${version} at hand has no scripts under \`/ui/\`, so nothing is compared with its UI.`
          : `The list of the Consul UI of ${version} alone (${count(ui.list.requests)} requests, ${bytes(ui.list.bytes)} with its own scripts) names the folders and nobody who holds; a change under it does not show there, so that noticing one means opening all again.`,
        'The page and the stream bring sessions, waiters, verdicts and findings as well; the script knows nothing of them.',
        ...(byScript ? [] : ['There is no `jq` or no `curl` here, so the script was not run.']),
      ],
    };
  },
};
