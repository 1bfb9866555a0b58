/**
 * The truth table, run: every row of a world is made for real, all at once, and then looked at one by one through the
 * API and the screen, so that a failure names its situation. Required words are waited for. Forbidden words are looked
 * for in all content of the API and the page, in every language. `docs/truth.md` is the same table.
 */
import { type BrowserContext, expect, type Page, test } from '@playwright/test';
import { type Stored, sweepPlans } from '@/e2e/support/plans';
import { keepShown, type Shown, shownBy, shownUntilNow } from '@/e2e/support/shown';
import { type Signalbox, startSignalbox } from '@/e2e/support/signalbox';
import { subjectPath } from '@/lib/client/paths';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { languageCookie } from '@/lib/i18n/language';
import { type AllMessages, type Language, languages } from '@/lib/i18n/messages';
import { forbiddenLamps, forbiddenTexts, neverAnywhere, vacuous } from '@/quality/truth/forbidden';
import { comesAbout, fits, isOver, makeAll, rowLimitMs, rowsOf } from '@/quality/truth/look';
import { intemperate, missing, rowOf } from '@/quality/truth/said';
import type { Claims, Never, ScreenClaim, Situation, WorldName } from '@/quality/truth/situation';
import type { Stage } from '@/quality/truth/stage';
import { any, even, pattern, says } from '@/quality/truth/text';
import { startWitness, type Witness } from '@/quality/truth/witness';
import { noWorld, startWorld, type TruthWorld } from '@/quality/truth/worlds';
import { stopAll } from '@/test/support/consul';

/** The same console in one language. One page for all rows: a browser that is new for each would read scripts all along. */
interface Reader {
  readonly language: Language;
  readonly words: AllMessages;
  readonly context: BrowserContext;
  readonly page: Page;
}

interface Running {
  readonly world: TruthWorld;
  readonly signalbox: Signalbox;
  readonly claims: ReadonlyMap<string, Claims>;
  readonly witness: Witness;
  readonly readers: readonly Reader[];
}

const stepMs = 20_000;
const intervals = [50, 100, 250, 500];

async function snapshotOf(page: Page, baseUrl: string): Promise<Snapshot> {
  const answer = await page.request.get(`${baseUrl}/api/v1/snapshot`);
  expect(answer.status()).toBe(200);
  return (await answer.json()) as Snapshot;
}

/** Opens the page of a row. Before the stream is there every button is off, and none of them says why it really is. */
async function open({ page, words }: Reader, baseUrl: string, path: string): Promise<void> {
  await page.goto(baseUrl + path);
  const live = page.getByRole('banner').getByText(pattern(words.shell.freshness.live(any)));
  await expect(live.or(page.locator('[data-outage]')).first()).toBeVisible();
}

async function expectScreen({ page }: Reader, claim: ScreenClaim): Promise<void> {
  const main = page.getByRole('main');
  const text = even(await main.innerText());
  for (const part of claim.has)
    expect(says(text, part), `the page says ${part}; it says:\n${text}`).toBe(true);
  const outage = page.locator('[data-outage]');
  if (claim.outage === undefined) await expect(outage).toHaveCount(0, { timeout: 1_000 });
  else await expect(outage).toHaveAttribute('data-outage', claim.outage, { timeout: 1_000 });
  for (const [kind, count] of Object.entries(claim.lamps ?? {}))
    await expect(main.locator(`ol [data-lamp="${kind}"]`), `lamps of ${kind}`).toHaveCount(count, {
      timeout: 1_000,
    });
  for (const { name, why } of claim.blocked ?? []) {
    const button = main.getByRole('button', { name: pattern(name) });
    await expect(button).toHaveAttribute('aria-disabled', 'true', { timeout: 1_000 });
    await expect(button).toHaveAccessibleDescription(pattern(why), { timeout: 1_000 });
  }
}

/** Forbidden words that a page has shown. */
function faultsIn(shown: readonly Shown[], never: Never, words: AllMessages): string[] {
  const faults = new Set<string>();
  const texts = forbiddenTexts(never, words);
  for (const { text, lamps, buttons } of shown) {
    const read = even(text);
    for (const part of texts) if (says(read, part)) faults.add(`says ${part}`);
    for (const part of never.stored ?? []) if (text.includes(part)) faults.add(`shows ${part}`);
    for (const lamp of forbiddenLamps(never)) if (lamps.includes(lamp)) faults.add(`lights ${lamp}`);
    for (const name of never.enabled ?? [])
      if (buttons.some((button) => says(even(button), name))) faults.add(`offers ${name}`);
  }
  return [...faults];
}

/** The page has said the row's claims by now; `came`: how many states it had shown when it did. */
async function expectNever(reader: Reader, claims: Claims, came: number): Promise<void> {
  const { page, words, language } = reader;
  const shown = await shownBy(page);
  // The same eyes that look for what must not be there have seen what must.
  const last = even(shown.at(-1)?.text ?? '');
  for (const part of claims.screen(words).has) expect(says(last, part), `${part} was not kept`).toBe(true);
  const faults = [
    ...faultsIn(shown, claims.never(words), words),
    ...faultsIn(shown.slice(came - 1), claims.after(words), words),
    ...shown.flatMap(({ text }) =>
      neverAnywhere.flatMap((part) => (part.test(even(text)) ? [`says ${part}`] : [])),
    ),
  ];
  expect([...new Set(faults)], `the page in ${language}, which said last:\n${last}`).toEqual([]);
  expect(await page.evaluate(() => 'hostile' in window), 'something that was stored has run').toBe(false);
}

async function expectTruth({ signalbox, witness, readers }: Running, row: Situation, claims: Claims) {
  const { baseUrl } = signalbox;
  expect(vacuous(claims)).toEqual([]);
  const path = claims.screen(languages.en).path ?? subjectPath(claims.subject);
  // Both pages are there before anything happens.
  await Promise.all(readers.map((reader) => open(reader, baseUrl, path)));
  await comesAbout(witness, row, claims);
  await Promise.all(
    readers.map(async (reader) => {
      await expect(() => expectScreen(reader, claims.screen(reader.words))).toPass({
        timeout: stepMs,
        intervals,
      });
      await expectNever(reader, claims, await shownUntilNow(reader.page));
    }),
  );
  const [first] = readers;
  if (first === undefined) throw new Error('Nobody looks.');
  const snapshot = await snapshotOf(first.page, baseUrl);
  expect(missing(snapshot, claims.subject, claims.api)).toEqual([]);
  expect(intemperate(snapshot)).toEqual([]);
  expect(witness.faults(row.title, isOver(row, claims))).toEqual([]);
}

/** Everything stored, as text: nothing that the sweep does may change a byte of it. */
async function storedIn({ client }: Stage): Promise<Stored> {
  const { value } = await client.list('', { consistency: 'consistent' });
  return new Map(
    value.map((row) => [
      row.key,
      { flags: row.flags, session: row.session, value: row.value.toString('utf8') },
    ]),
  );
}

/** A world, looked at: one file for each, so that they are spread over the workers. */
export function lookAt(name: WorldName): void {
  test.describe(`truth: ${name}`, () => {
    let running: Running;
    const errors: string[] = [];

    test.beforeAll(async ({ browser }) => {
      test.setTimeout(300_000);
      const absent = await noWorld(name);
      test.skip(absent !== null, absent ?? '');
      const world = await startWorld(name);
      const claims = await makeAll(name, world);
      const signalbox = await startSignalbox({ consulAddress: world.address, env: world.env });
      const { baseUrl } = signalbox;
      const witness = await startWitness(() => fetch(`${baseUrl}/api/v1/events`), claims);
      const readers = await Promise.all(
        Object.entries(languages).map(async ([language, words]): Promise<Reader> => {
          const context = await browser.newContext();
          await context.addCookies([{ name: languageCookie, value: language, url: baseUrl }]);
          await keepShown(context);
          const page = await context.newPage();
          page.on('pageerror', (error) => errors.push(`uncaught: ${error.message}`));
          page.on('console', (message) => {
            // The browser complains of a row's removed server or token in its own words.
            if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
              errors.push(`console.error: ${message.text()}`);
          });
          return { language: language as Language, words, context, page };
        }),
      );
      running = { world, signalbox, claims, witness, readers };
    });
    test.afterAll(async () => {
      for (const { context } of running?.readers ?? []) await context.close();
      await running?.witness.end();
      await running?.signalbox.stop();
      await running?.world.end();
      await stopAll();
    });
    test.afterEach(() => {
      expect(errors.splice(0)).toEqual([]);
    });

    const look = (row: Situation) =>
      test(row.title, async () => {
        test.setTimeout(rowLimitMs(row));
        test.skip(!fits(row, running.world), 'This Consul takes other keys.');
        const claims = running.claims.get(row.title);
        if (claims === undefined) throw new Error(`${row.title} was not made.`);
        await expectTruth(running, row, claims);
      });
    const rows = rowsOf(name);
    for (const row of rows.filter(({ when }) => when !== 'last')) look(row);

    if (name === 'shared' || name === 'stored' || name === 'nodes')
      test(`no plan for any of these would break a client: ${name}`, async () => {
        test.setTimeout(300_000);
        const { world, signalbox, claims, readers } = running;
        const { page } = readers[0] as Reader;
        const { consul } = world.stages;
        if (consul === undefined) throw new Error('There is no Consul.');
        const before = await storedIn(consul);
        const snapshot = await snapshotOf(page, signalbox.baseUrl);
        const found = [...claims.values()].flatMap(({ subject }) => rowOf(snapshot, subject) ?? []);
        const plans = await sweepPlans(page.request, signalbox.baseUrl, found, before);
        expect(plans).toBeGreaterThan(0);
        expect(await storedIn(consul), 'a plan wrote something').toEqual(before);
      });

    for (const row of rows.filter(({ when }) => when === 'last')) look(row);

    test(`nothing was said that must not be, from the start to the end: ${name}`, () => {
      expect(running.witness.heard).toBeGreaterThan(0);
      expect(running.witness.allFaults()).toEqual([]);
    });
  });
}
