/**
 * The truth table, run: every row of `test/truth` is made for real, all of a world at once, and then looked at one by
 * one through the API and the screen, so that a failure names its situation. `docs/truth.md` is the same table.
 */
import { type BrowserContext, expect, type Page, test } from '@playwright/test';
import { type Stored, sweepPlans } from '@/e2e/support/plans';
import { type Signalbox, startSignalbox } from '@/e2e/support/signalbox';
import { expectTruth, rowOf, snapshotOf } from '@/e2e/support/truth';
import { stopAll } from '@/test/support/consul';
import type { Claims, Situation, WorldName } from '@/test/truth/situation';
import { situations } from '@/test/truth/table';
import { startWorld, type TruthWorld } from '@/test/truth/worlds';

/** A world, with the console before it, one page, and everything that its rows made. */
interface Running {
  readonly world: TruthWorld;
  readonly signalbox: Signalbox;
  readonly claims: ReadonlyMap<string, Claims>;
  /** One for all rows: a browser that is new for each would spend its time on reading the same scripts. */
  readonly context: BrowserContext;
  readonly page: Page;
}

/** Rows that time ends come first, rows that time has to make come last. */
const order = { first: 0, steady: 1, last: 2 } as const;
const rowsOf = (name: WorldName) =>
  situations.filter((one) => one.world === name).sort((a, b) => order[a.when] - order[b.when]);

/** Whether the row can be made on this server: versions differ in the keys that they take. */
const fits = ({ keys }: Situation, world: TruthWorld) => keys === null || keys === world.keys;

/** Everything stored, as text: nothing that the sweep does may change a byte of it. */
async function storedIn({ stage }: TruthWorld): Promise<Stored> {
  const { value } = await stage.client.list('', { consistency: 'consistent' });
  return new Map(
    value.map((row) => [
      row.key,
      { flags: row.flags, session: row.session, value: row.value.toString('utf8') },
    ]),
  );
}

for (const name of ['shared', 'nodes', 'permissions', 'cluster'] as const)
  test.describe(`truth: ${name}`, () => {
    let running: Running;
    const errors: string[] = [];

    test.beforeAll(async ({ browser }) => {
      test.setTimeout(90_000);
      const world = await startWorld(name);
      const claims = await Promise.all(
        rowsOf(name)
          .filter((one) => fits(one, world))
          .map(async (one): Promise<[string, Claims]> => [one.title, await one.claims(world.stage)]),
      );
      const signalbox = await startSignalbox({ consulAddress: world.address, env: world.env });
      const context = await browser.newContext();
      const page = await context.newPage();
      page.on('pageerror', (error) => errors.push(`uncaught: ${error.message}`));
      page.on('console', (message) => {
        // What a row takes away, its server or its token, the browser complains of in its own words.
        if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
          errors.push(`console.error: ${message.text()}`);
      });
      running = { world, signalbox, claims: new Map(claims), context, page };
    });
    test.afterAll(async () => {
      await running?.context.close();
      await running?.signalbox.stop();
      await running?.world.end();
      await stopAll();
    });
    test.afterEach(() => {
      expect(errors.splice(0)).toEqual([]);
    });

    const look = (one: Situation) =>
      test(one.title, async () => {
        const { title, when } = one;
        test.skip(!fits(one, running.world), 'This Consul takes other keys.');
        test.setTimeout(when === 'last' ? 120_000 : 60_000);
        const claims = running.claims.get(title);
        if (claims === undefined) throw new Error(`${title} was not made.`);
        await claims.turn?.();
        await expectTruth(running.page, running.signalbox.baseUrl, claims);
      });
    const rows = rowsOf(name);
    for (const one of rows.filter(({ when }) => when !== 'last')) look(one);

    if (name === 'shared' || name === 'nodes')
      test(`no plan for any of these would break a client: ${name}`, async () => {
        test.setTimeout(150_000);
        const { world, signalbox, claims, page } = running;
        const before = await storedIn(world);
        const snapshot = await snapshotOf(page, signalbox.baseUrl);
        const found = [...claims.values()].flatMap(({ subject }) => rowOf(snapshot, subject) ?? []);
        const plans = await sweepPlans(page.request, signalbox.baseUrl, found, before);
        expect(plans).toBeGreaterThan(0);
        expect(await storedIn(world), 'a plan wrote something').toEqual(before);
      });

    for (const one of rows.filter(({ when }) => when === 'last')) look(one);
  });
