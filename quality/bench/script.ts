/** The script of a first visit, beside an empty app of the same framework. */
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser } from '@playwright/test';
import { nextCommand, nextEnv } from '@/scripts/build.mjs';
import { claimPorts } from '@/scripts/ports.mjs';
import { inState, root } from '@/scripts/project.mjs';
import { startConsul } from '@/test/support/consul';
import { startServer } from '@/test/support/server';
import { launchChromium } from './browser';
import { atMost, type Bench, type BenchStage, bytes, plainFigure, quantile } from './figure';
import { furnish } from './furnished';
import { plainHttp } from './plain';

const visits = 3;
/** The idle moments after a visit, in which everything deferred arrives. */
const idleMs = 4_000;

/** An app with one page that makes one request through react-query, a usual start. */
const emptyApp: Readonly<Record<string, string>> = {
  'package.json': '{ "private": true, "type": "module" }',
  'next.config.js': `export default { turbopack: { root: ${JSON.stringify(root)} } };`,
  // Without one of its own, Next takes the project's, which refuses to start from a command of Next.
  'instrumentation.js': 'export function register() {}',
  'app/layout.jsx': `import { Root } from './root';
export default function Layout({ children }) {
  return <html lang="en"><body><Root>{children}</Root></body></html>;
}`,
  'app/root.jsx': `'use client';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
export function Root({ children }) {
  const [client] = useState(() => new QueryClient());
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}`,
  'app/page.jsx': `'use client';
import { useQuery } from '@tanstack/react-query';
export default function Page() {
  const { data } = useQuery({ queryKey: ['state'], queryFn: async () => 'live' });
  return <p>{data}</p>;
}`,
};

const next = (cwd: string, args: readonly string[]) =>
  spawn(process.execPath, [nextCommand(), ...args], { cwd, env: nextEnv(), stdio: 'ignore' });

/** Builds the empty app below the project, with the project's packages, and serves it. */
async function startEmpty({ defer }: BenchStage): Promise<string> {
  const folder = inState('bench-empty');
  rmSync(folder, { recursive: true, force: true });
  defer(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(emptyApp)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const code = await new Promise((done) => next(folder, ['build']).on('exit', done));
  if (code !== 0) throw new Error('The empty app could not be built.');
  const block = await claimPorts(1);
  defer(block.release);
  const port = String(block.ports[0]);
  const server = next(folder, ['start', '-H', '127.0.0.1', '-p', port]);
  defer(() => server.kill());
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 300; tries += 1) {
    const answers = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (answers) return url;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('The empty app does not answer.');
}

interface Loaded {
  /** Bytes of script, each file gzipped separately, until the page is live. */
  readonly first: number;
  /** Bytes of script in the idle moments after that. */
  readonly idle: number;
}

/** Keeps the moment when the page first says that it is live, by its own clock. Runs in the page before its script. */
function noteLive(): void {
  const state = window as { liveAtMs?: number };
  const observer = new MutationObserver(() => {
    const texts = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
    while (texts.nextNode() !== null) {
      if (
        !/^live/.test(texts.currentNode.nodeValue ?? '') ||
        texts.currentNode.parentElement?.closest('script')
      )
        continue;
      state.liveAtMs = performance.now();
      observer.disconnect();
      return;
    }
  });
  observer.observe(document, { subtree: true, childList: true, characterData: true });
}

/**
 * The requests of the page when it became live, as it reports them. This process would notice that moment later, and on
 * a busy machine count scripts of the first idle moments.
 */
function askedOnceLive(): readonly string[] {
  const { liveAtMs } = window as { liveAtMs?: number };
  if (liveAtMs === undefined) throw new Error('The page did not note when it was live.');
  return performance
    .getEntriesByType('resource')
    .filter(({ startTime }) => startTime > liveAtMs)
    .map(({ name }) => name);
}

async function visit(browser: Browser, url: string): Promise<Loaded> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    const page = await context.newPage();
    await page.addInitScript(noteLive);
    const reads: Promise<readonly [url: string, gzipped: number]>[] = [];
    context.on('response', (response) => {
      if (!/\.js(\?|$)/.test(response.url())) return;
      reads.push(response.body().then((body) => [response.url(), gzipSync(body).length]));
    });
    await page.goto(url);
    await page.getByText(/^live/).first().waitFor();
    await page.waitForTimeout(idleMs);
    const late = new Set(await page.evaluate(askedOnceLive));
    const loaded = { first: 0, idle: 0 };
    for (const [script, gzipped] of await Promise.all(reads))
      loaded[late.has(script) ? 'idle' : 'first'] += gzipped;
    return loaded;
  } finally {
    await context.close();
  }
}

export const bench: Bench = {
  title: 'Script on the first load',
  about:
    'Chromium opens the board, and an app with one page and react-query that is built in the same run by the same framework with the same packages. Counted are all scripts that the browser asked for until the page is live (and, of the empty app, until its one answer is there), each gzipped by itself.',
  excluded:
    'Scripts of idle moments stand in a row of their own. No caches: each visit has a new browser context.',
  run: async (stage) => {
    const { defer } = stage;
    const consul = await startConsul();
    const plain = plainHttp(consul.address);
    defer(plain.close);
    await furnish(plain, { prefix: 'load/', locks: 95, semaphores: 5 });
    const signalbox = await startServer({ consulAddress: consul.address });
    defer(signalbox.stop);
    const empty = await startEmpty(stage);
    const browser = await launchChromium();
    defer(() => browser.close());
    const ours: Loaded[] = [];
    const others: Loaded[] = [];
    for (let n = 0; n < visits; n += 1) {
      ours.push(await visit(browser, signalbox.baseUrl));
      others.push(await visit(browser, empty));
    }
    const median = (list: readonly Loaded[], of: keyof Loaded) =>
      quantile(
        list.map((one) => one[of]),
        0.5,
      );
    return {
      compared: 'an empty Next app with react-query',
      figures: [
        atMost('script until the page is live, gzip', {
          ours: median(ours, 'first'),
          compared: median(others, 'first'),
          max: 1.6,
          show: bytes,
        }),
        plainFigure('script that follows in idle moments, gzip', {
          ours: median(ours, 'idle'),
          compared: median(others, 'idle'),
          show: bytes,
        }),
      ],
      notes: ['What the script is made of stands in `docs/decisions/0030`.'],
    };
  },
};
