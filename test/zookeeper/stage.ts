/** A watch and actions on a real ZooKeeper, as tests of the recipes use them. */
import { expect } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import type { Outcome } from '@/lib/domain/actions/plan';
import { isProblem, type Problem } from '@/lib/domain/problem';
import type { Planned, Provider } from '@/lib/domain/seam/provider';
import type { ZkSettings } from '@/lib/providers/zookeeper/client/settings';
import { createZooKeeperProvider } from '@/lib/providers/zookeeper/provider';
import { requestsOf } from '@/test/provider/requests';
import { type Watching, watching } from '@/test/provider/watching';
import { until } from '@/test/support/until';
import { settingsOf } from './writer';

export const source = 'zk';
export const { release, removeWaiter: drop, ask, evict, dropFrom, resize } = requestsOf(source);

export interface Stage extends Watching {
  readonly provider: Provider;
  plan(action: Action): Promise<Planned>;
  refusal(action: Action): Promise<Problem>;
  /** Plans it and applies it. */
  act(action: Action): Promise<Outcome>;
  apply(action: Action, planned: Planned): Promise<Outcome | Problem>;
  close(): Promise<void>;
}

const signal = () => AbortSignal.timeout(20_000);

export async function startStage(addresses: string, more: Partial<ZkSettings> = {}): Promise<Stage> {
  const settings = settingsOf(addresses, more);
  const provider = createZooKeeperProvider(settings, Date.now);
  const watch = watching(provider);
  await watch.says('live');
  const plan = async (action: Action) => {
    const planned = await provider.plan(action, signal());
    if (isProblem(planned)) throw new Error(JSON.stringify(planned));
    return planned;
  };
  const apply = (action: Action, { expect: seen }: Planned) => provider.apply(action, seen, signal());
  return {
    ...watch,
    provider,
    plan,
    apply,
    refusal: async (action) => {
      const planned = await provider.plan(action, signal());
      if (!isProblem(planned)) throw new Error(`Not refused: ${JSON.stringify(planned)}`);
      return planned;
    },
    act: async (action) => {
      const done = await apply(action, await plan(action));
      if (isProblem(done)) throw new Error(JSON.stringify(done));
      return done;
    },
    close: async () => {
      await watch.stop();
      provider.close();
    },
  };
}

/** Waits until the row is as expected, and says what it was otherwise. */
export async function shows<T>(row: () => T | undefined, like: object, what: string): Promise<T> {
  await until(() => matches(row(), like), { what }).catch(() => {});
  const seen = row();
  expect(seen).toMatchObject(like);
  return seen as T;
}

function matches(row: unknown, like: object): boolean {
  try {
    expect(row).toMatchObject(like);
    return true;
  } catch {
    return false;
  }
}

export const byPath = (path: string | null): string => path?.slice(path.lastIndexOf('/') + 1) ?? '';
