/** Both stores: for suites that must hold on each, and for files that say on which of them they run. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { openStore, type Store } from '@/lib/server/store/store';
import { noPostgres, startTestPostgres } from '@/test/support/postgres';

/** Where a store is, as `openStore` takes it. */
export type Where = Parameters<typeof openStore>[0];

export interface StoreKind {
  readonly name: 'sqlite' | 'postgres';
  /** Why it cannot be tested here; `null`: it can. */
  readonly missing: string | null;
  /** A new, empty place. */
  place(): Promise<Where>;
  /** Opens a store that ends with the test file. */
  open(where: Where): Store;
}

const opened = new Set<Store>();
const open = (where: Where) => {
  const store = openStore(where);
  opened.add(store);
  return store;
};

/** A fresh folder, removed when the test ends that asked for it, or the test file where that was no test. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-store-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // Each refuses, or forgets, where the other belongs.
  try {
    onTestFinished(remove);
  } catch {
    afterAll(remove);
  }
  return folder;
}

/**
 * A server's settings for this kind of store. Call it at the top of a test file. Without a Postgres the file runs on
 * SQLite, and says so.
 */
export async function storeEnv(name: StoreKind['name']): Promise<Readonly<Record<string, string>>> {
  if (name === 'sqlite') return {};
  if ((await noPostgres('ON SQLITE INSTEAD: every test in this file.')) !== null) return {};
  const server = await startTestPostgres();
  return { DATABASE_URL: await server.database() };
}

/** The kinds that can be had here. Call it at the top of a test file. */
export const storesHere = async () => (await storeKinds()).filter(({ missing }) => missing === null);

/** Both kinds. Call it at the top of a test file. */
export async function storeKinds(): Promise<readonly StoreKind[]> {
  const missing = await noPostgres();
  const server = missing === null ? await startTestPostgres() : null;
  const root = freshFolder();
  let folders = 0;
  // Hooks run in reverse order: the stores close before their server ends.
  afterAll(async () => {
    await Promise.all([...opened].map((store) => store.close()));
  });
  return [
    {
      name: 'sqlite',
      missing: null,
      place: async () => {
        folders += 1;
        return { folder: join(root, `store-${folders}`) };
      },
      open,
    },
    {
      name: 'postgres',
      missing,
      place: async () => {
        if (server === null) throw new Error(missing ?? '');
        return { postgres: await server.database() };
      },
      open,
    },
  ];
}
