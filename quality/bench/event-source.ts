/** The console's event stream at a browser's own `EventSource`, in an otherwise idle page. */
import type { Browser } from '@playwright/test';
import type { BenchStage } from './figure';
import { pageClock } from './page-clock';

export interface BrowserPatch {
  readonly data: string;
  /** `performance.now()` of this process when the page had parsed the event. */
  readonly atMs: number;
}

/** Resolves with the first snapshot. Throws when the stream does not come in gzip. */
export async function openEventSource(
  browser: Browser,
  baseUrl: string,
  { defer }: Pick<BenchStage, 'defer'>,
  onPatch: (patch: BrowserPatch) => void,
): Promise<void> {
  // The policy of the answer forbids all script.
  const context = await browser.newContext({ bypassCSP: true });
  defer(() => context.close());
  const page = await context.newPage();
  await page.goto(`${baseUrl}/healthz`);
  const clock = await pageClock(page);
  await page.exposeFunction('patched', (data: string, pageMs: number) =>
    onPatch({ data, atMs: clock(pageMs) }),
  );
  const answered = page.waitForResponse(/\/api\/v1\/events/);
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const { patched } = window as unknown as { patched: (data: string, pageMs: number) => void };
        const source = new EventSource('/api/v1/events');
        source.addEventListener('snapshot', () => resolve());
        source.addEventListener('patch', ({ data }) => {
          JSON.parse(data);
          patched(data, performance.now());
        });
      }),
  );
  const encoding = (await answered).headers()['content-encoding'];
  if (encoding !== 'gzip')
    throw new Error(`The stream came in ${encoding ?? 'no encoding'}, and not in gzip.`);
}
