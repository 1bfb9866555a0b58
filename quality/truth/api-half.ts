/**
 * The half of the truth table without a browser. Every row is made for real, and the API's routes, in this process,
 * must say what the row demands and nothing that it forbids. `e2e/truth-*.spec.ts` checks the screen as well.
 */
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import * as events from '@/app/api/v1/events/route';
import * as snapshot from '@/app/api/v1/snapshot/route';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { vacuous } from '@/quality/truth/forbidden';
import { comesAbout, fits, isOver, makeAll, rowLimitMs, rowsOf } from '@/quality/truth/look';
import { intemperate, missing } from '@/quality/truth/said';
import type { Claims, WorldName } from '@/quality/truth/situation';
import { startWitness, type Witness } from '@/quality/truth/witness';
import { noWorld, startWorld, type TruthWorld } from '@/quality/truth/worlds';
import { type Served, serve } from '@/test/machines/served';

interface Running {
  readonly world: TruthWorld;
  readonly served: Served;
  readonly claims: ReadonlyMap<string, Claims>;
  readonly witness: Witness;
}

/** One file for each world, because the server of a process reads its sources once. */
export function apiHalf(name: WorldName): void {
  describe(`truth, by the API: ${name}`, () => {
    let running: Running | null = null;
    /** `null`: this machine lacks something that the world needs. */
    const ran = (context: TestContext): Running => {
      context.skip(running === null, 'What it is made on is not here.');
      if (running === null) throw new Error('There is no world.');
      return running;
    };

    beforeAll(async () => {
      if ((await noWorld(name)) !== null) return;
      const world = await startWorld(name);
      const claims = await makeAll(name, world);
      const served = await serve(world, world.env);
      const open = () => served.ask(events.GET, '/api/v1/events');
      running = { world, served, claims, witness: await startWitness(open, claims) };
    }, 300_000);
    afterAll(async () => {
      await running?.witness.end();
      await running?.served.stop();
      await running?.world.end();
    });

    for (const row of rowsOf(name))
      test(
        row.title,
        async (context) => {
          const { claims: all, witness, served, world } = ran(context);
          context.skip(!fits(row, world), 'This Consul takes other keys.');
          const claims = all.get(row.title);
          if (claims === undefined) throw new Error(`${row.title} was not made.`);
          expect(vacuous(claims)).toEqual([]);
          await comesAbout(witness, row, claims);
          const answer = await served.ask(snapshot.GET, '/api/v1/snapshot');
          const asked = (await answer.json()) as Snapshot;
          expect(missing(asked, claims.subject, claims.api)).toEqual([]);
          expect(intemperate(asked)).toEqual([]);
          expect(witness.faults(row.title, isOver(row, claims))).toEqual([]);
        },
        rowLimitMs(row),
      );

    test(`nothing was said that must not be, from the start to the end: ${name}`, (context) => {
      const { witness } = ran(context);
      expect(witness.heard).toBeGreaterThan(0);
      expect(witness.allFaults()).toEqual([]);
    });
  });
}
