/** A console before an agent with ACLs, shared by a worker's tests, and people who come to it with tokens of their own. */
import { arrive, type Person } from '@/e2e/support/person';
import { type Signalbox, startSignalbox } from '@/e2e/support/signalbox';
import { test as base } from '@/e2e/support/store';
import { startTeams, type Teams } from '@/e2e/support/teams';
import { stopAll } from '@/test/support/consul';

export const test = base.extend<
  { arriving: (token: string | null) => Promise<Person> },
  { world: Teams; signalbox: Signalbox }
>({
  world: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures that are used from this pattern.
    async ({}, use) => {
      await use(await startTeams());
      await stopAll();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  signalbox: [
    async ({ world, newStore }, use) => {
      const signalbox = await startSignalbox({
        consulAddress: world.consul.address,
        // Its own token sees everything: a leak by it would show in the tests.
        env: { CONSUL_HTTP_TOKEN: world.consul.token ?? '', ...(await newStore()) },
      });
      await use(signalbox);
      await signalbox.stop();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  arriving: async ({ browser, signalbox }, use) => {
    const people: Person[] = [];
    await use(async (token) => {
      const one = await arrive(browser, signalbox.baseUrl, token);
      people.push(one);
      return one;
    });
    for (const { context } of people) await context.close();
  },
});
