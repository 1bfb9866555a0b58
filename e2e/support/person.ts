/** One person with a browser: signing in, their view, and the fate of an action that they try. */
import type { APIResponse, Browser, BrowserContext, Page } from '@playwright/test';
import { expect } from '@/e2e/support/signalbox';
import type { Action } from '@/lib/domain/actions/action';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { en } from '@/lib/i18n/messages';
import { until } from '@/test/support/until';

export interface Person {
  readonly context: BrowserContext;
  readonly page: Page;
  /** The text of every answer that this browser got, with its address. */
  readonly heard: readonly { readonly url: string; readonly body: string }[];
  /** Resolves when all that was answered so far has been read. */
  settled(): Promise<void>;
}

/** A browser of their own, signed in with the token; `null`: not signed in. */
export async function arrive(browser: Browser, baseUrl: string, token: string | null): Promise<Person> {
  const context = await browser.newContext({ baseURL: baseUrl, viewport: { width: 1280, height: 800 } });
  const heard: { url: string; body: string }[] = [];
  const reading = new Set<Promise<unknown>>();
  context.on('response', (response) => {
    // A stream is read by the tests that ask for it: this would wait for its end.
    if (response.headers()['content-type']?.startsWith('text/event-stream')) return;
    const read = response.text().then(
      (body) => heard.push({ url: response.url(), body }),
      // A redirect has no body, and a page that is left takes its answers along.
      () => {},
    );
    reading.add(read);
    void read.finally(() => reading.delete(read));
  });
  const page = await context.newPage();
  if (token !== null) await signIn(page, token);
  return { context, page, heard, settled: async () => void (await Promise.all([...reading])) };
}

/** Through the page, as a person does; ends on the board. */
export async function signIn(page: Page, token: string): Promise<void> {
  await page.goto('/login');
  await page.getByLabel(en.identity.login.token).fill(token);
  await page.getByRole('button', { name: en.identity.login.button }).click();
  await isLive(page);
}

export const isLive = (page: Page) => expect(page.getByText(/^live/).first()).toBeVisible();

/** Names of all rows on the board, without a scroll: there are few. */
export async function rowsOn(page: Page): Promise<string[]> {
  const rows = await page
    .locator('[data-row]')
    .evaluateAll((all) => all.map((row) => row.getAttribute('data-row') ?? ''));
  return rows.sort();
}

/** The first event of the stream. */
export async function streamOf(page: Page): Promise<{ status: number; text: string }> {
  return page.evaluate(async () => {
    const gone = new AbortController();
    const response = await fetch('/api/v1/events', { signal: gone.signal });
    if (!response.ok) return { status: response.status, text: await response.text() };
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!/event: (snapshot|patch)\n(.*\n)*\n/.test(text)) {
      const part = await reader?.read();
      if (part === undefined || part.done) break;
      text += part.value;
    }
    gone.abort();
    return { status: response.status, text };
  });
}

export const snapshotOf = async (page: Page): Promise<{ status: number; snapshot: Snapshot | null }> => {
  const answer = await page.request.get('/api/v1/snapshot');
  return { status: answer.status(), snapshot: answer.ok() ? ((await answer.json()) as Snapshot) : null };
};

const code = async (answer: APIResponse) => {
  const body = (await answer.json()) as { code?: string; why?: { code: string } };
  return `${body.code ?? 'done'}${body.why == null ? '' : ` (${body.why.code})`}`;
};

/** The API's result: the outcome, or the refusal. */
export async function applied(page: Page, action: Action): Promise<string> {
  const send = (data: object) =>
    page.request.post('/api/v1/actions', { data: { action, reason: 'table', ...data } });
  const planned = await send({ mode: 'plan' });
  if (!planned.ok()) return code(planned);
  const { expect: seen } = (await planned.json()) as { expect: object };
  const answer = await send({ mode: 'apply', expect: seen });
  if (!answer.ok()) return code(answer);
  const { outcome } = (await answer.json()) as { outcome: { done: boolean } };
  return outcome.done ? 'done' : 'partly';
}

/** Where an action is found on the screen. */
export interface Offer {
  readonly path: string;
  /** The text of its button, or of its entry in the menu of rarer actions. */
  readonly text: string;
  readonly inMenu: boolean;
}

/** The button of an action and why it is off; `null` where there is no such button. */
export async function offered(page: Page, { path, text, inMenu }: Offer): Promise<{ reason: string } | null> {
  await page.goto(path);
  if (new URL(page.url()).pathname === '/login') return null;
  await isLive(page);
  if (inMenu) {
    const more = page.getByRole('button', { name: en.action.more });
    // The page of what is not in view has no actions at all; either shows with the first paint.
    await expect(page.locator('h1')).toBeVisible();
    if ((await more.count()) === 0) return null;
    const menu = page.getByRole('menu');
    // The header may be live before the page below it hears a press.
    await expect(async () => {
      if ((await menu.count()) === 0) await more.first().click();
      await expect(menu).toBeVisible({ timeout: 2_000 });
    }).toPass();
  }
  const button = page.getByRole(inMenu ? 'menuitem' : 'button', { name: text }).first();
  if ((await button.count()) === 0) return null;
  for (const passing of [en.action.blocked.connecting, en.identity.rights.asking]) {
    await expect(button).not.toContainText(passing);
    await expect(button).not.toHaveAccessibleDescription(passing);
  }
  if ((await button.getAttribute('aria-disabled')) === null) return { reason: '' };
  const described = await button.evaluate((element) =>
    (element.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent ?? '')
      .join(''),
  );
  return { reason: described || (await button.innerText()).replace(text, '').trim() };
}

/** Presses the button that `offered` has found to be on, and completes the dialog. Returns its last words. */
export async function pressed(page: Page, { text, inMenu }: Offer): Promise<'done' | string> {
  await page
    .getByRole(inMenu ? 'menuitem' : 'button', { name: text })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  // Its code may still be on the way.
  await expect(dialog).toBeVisible();
  const limit = dialog.getByLabel(en.action.resize.label);
  if ((await limit.count()) > 0) await limit.fill('5');
  await expect(dialog.getByText(en.action.sections.writes)).toBeVisible();
  await dialog.getByLabel(en.action.reason).fill('table');
  const confirm = dialog.locator('label code');
  if ((await confirm.count()) > 0) {
    const name = await confirm.innerText();
    await dialog.locator('input').last().fill(name);
  }
  await dialog.getByRole('button').last().click();
  const refused = dialog.getByRole('alert');
  const close = dialog.getByRole('button', { name: en.action.close });
  await expect(refused.or(close).first()).toBeVisible();
  return (await refused.count()) > 0 ? await refused.innerText() : 'done';
}

/** Resolves when the server shows this person what was made just now. */
export const inView = (page: Page, names: readonly string[]) =>
  until(
    async () => {
      const text = JSON.stringify((await snapshotOf(page)).snapshot);
      return names.every((name) => text.includes(`"${name}"`));
    },
    { what: 'everything in view' },
  );
