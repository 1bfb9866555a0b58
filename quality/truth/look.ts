/** The rows of one world in their order, and the steps of each look. */
import type { Claims, Situation, WorldName } from '@/quality/truth/situation';
import { situations } from '@/quality/truth/table';
import type { Witness } from '@/quality/truth/witness';
import type { TruthWorld } from '@/quality/truth/worlds';

/** Rows that time ends come first, and rows that time must make come last. */
const order = { first: 0, steady: 1, last: 2 } as const;

export const rowsOf = (name: WorldName): readonly Situation[] =>
  situations.filter((one) => one.world === name).sort((a, b) => order[a.when] - order[b.when]);

/** True when the row can be made on this server, because versions differ in the keys that they take. */
export const fits = ({ keys }: Situation, world: TruthWorld) => keys === null || keys === world.keys;

/** Makes every fitting row of the world at once, so that the waits overlap. */
export async function makeAll(name: WorldName, world: TruthWorld): Promise<ReadonlyMap<string, Claims>> {
  const made = rowsOf(name)
    .filter((row) => fits(row, world))
    .map(async ({ title, claims }): Promise<[string, Claims]> => [title, await claims(world.stages)]);
  return new Map(await Promise.all(made));
}

export const rowLimitMs = ({ when }: Situation) => (when === 'last' ? 300_000 : 180_000);

/** True when the time after the look belongs to another row. */
export const isOver = ({ when }: Situation, { turn }: Claims) => when !== 'steady' || turn !== null;

/** Counts over a minute are known after one. */
const sayMs = { first: 40_000, steady: 40_000, last: 90_000 } as const;

/** Takes the turn of a row once the API has said `from`, and waits until it says `api`. */
export async function comesAbout(
  witness: Witness,
  { title, when, endsOthers }: Situation,
  { turn }: Claims,
): Promise<void> {
  await witness.says(title, 'from', sayMs[when]);
  if (endsOthers) witness.endOthers(title);
  await turn?.();
  await witness.says(title, 'api', sayMs[when]);
  witness.came(title);
}
