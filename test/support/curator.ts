/** Real Curator clients in processes of their own. */
import { startTestProgram, type TestProgram, unheard } from './driven';

export type CuratorLock =
  | {
      /** `revocable`: a mutex whose client says "asked" when it is asked to give it up. */
      readonly kind: 'mutex' | 'revocable' | 'semaphore-mutex' | 'read' | 'write';
      readonly path: string;
    }
  /** `data`: its id. */
  | { readonly kind: 'latch' | 'selector'; readonly path: string; readonly data?: string }
  | { readonly kind: 'multi'; readonly paths: readonly string[] };

export interface CuratorHeld {
  /** `isAcquiredInThisProcess()`, or `hasLeadership()`: what the client believes. */
  readonly acquired: boolean;
  /** `isOwnedByCurrentThread()`; `null` of kinds that belong to no thread. */
  readonly held: boolean | null;
  /** The whole path of its node; `null` where it has none, or its kind keeps it to itself. */
  readonly node: string | null;
}

/** A semaphore with a fixed maximum, or one that follows a SharedCount at the path `count`; `data` goes into its nodes. */
export type CuratorSemaphore = { readonly path: string; readonly data?: string } & (
  | { readonly limit: number }
  | { readonly count: string }
);

export type NodeMode =
  | 'PERSISTENT'
  | 'PERSISTENT_SEQUENTIAL'
  | 'EPHEMERAL'
  | 'EPHEMERAL_SEQUENTIAL'
  | 'CONTAINER';

/** One thread of a client: it does one thing after the other, and mutexes belong to it. */
export interface CuratorThread {
  readonly name: string;
  /** True once it holds, or leads; false where it gave up after `waitMs`. */
  acquire(lock: CuratorLock & { readonly waitMs?: number }): Promise<boolean>;
  /** `release()`, or `close()` of a latch or a selector; what it throws is a `JavaThrown`. */
  release(lock: CuratorLock): Promise<void>;
  held(lock: CuratorLock): Promise<CuratorHeld>;
  interrupt(): Promise<void>;
  readonly semaphore: (semaphore: CuratorSemaphore) => {
    /** The names of its leases' nodes; none where it gave up. */
    acquire(options?: { permits?: number; waitMs?: number }): Promise<readonly string[]>;
    release(...nodes: readonly string[]): Promise<void>;
  };
  readonly count: (path: string) => {
    set(value: number): Promise<void>;
    /** What the client has cached. */
    get(): Promise<number>;
  };
  /** What needs no recipe: nodes that none makes, and asking the client that holds by a node to give it up (`Revoker`). */
  readonly node: (path: string) => {
    /** The path that it has then: a sequential one has more digits. Missing parents become containers. */
    create(options?: { data?: string; mode?: NodeMode }): Promise<string>;
    delete(): Promise<void>;
    set(data: string): Promise<void>;
    /** `null` where there is no such node. */
    children(): Promise<readonly string[] | null>;
    revoke(): Promise<void>;
  };
}

/**
 * Its events: `connection` (`state`: CONNECTED, SUSPENDED, RECONNECTED, LOST), `leads` and `leads no more` of latches and
 * selectors, `asked` of revocable mutexes, each with its `path`.
 */
export interface TestCurator extends Omit<TestProgram, 'ask' | 'interrupt'> {
  thread(name: string): CuratorThread;
  /** The session as of now: `0x…`. */
  session(): Promise<string>;
  /** `close()`: ends its session; the process runs on until it is killed. */
  close(): Promise<void>;
}

/**
 * Starts a client (0.5 to 10 s); `addresses` as Curator takes them: `host:port,host:port/chroot`. `sessionMs`: what it asks for.
 */
export async function startCurator(
  addresses: string,
  { sessionMs = 4_000, digest }: { sessionMs?: number; digest?: string } = {},
): Promise<TestCurator> {
  const { ask, interrupt, ...program } = await startTestProgram('curator', {
    addresses,
    sessionMs,
    ...(digest === undefined ? {} : { digest }),
  });
  const thread = (name: string): CuratorThread => {
    const call = (command: Record<string, unknown>) => ask(name, command);
    return unheard({
      name,
      acquire: async (lock) => (await call({ op: 'acquire', ...lock })) === true,
      release: async (lock) => void (await call({ op: 'release', ...lock })),
      held: async (lock) => (await call({ op: 'held', ...lock })) as CuratorHeld,
      interrupt: () => interrupt(name),
      semaphore: (semaphore) => {
        const of = { kind: 'semaphore', ...semaphore };
        return unheard({
          acquire: async (more) => {
            const nodes = await call({ op: 'acquire', ...of, ...more });
            return Array.isArray(nodes) ? nodes : [];
          },
          release: async (...nodes) => void (await call({ op: 'release', ...of, nodes })),
        });
      },
      count: (path) =>
        unheard({
          set: async (permits) => void (await call({ op: 'set', kind: 'count', path, permits })),
          get: async () => Number(await call({ op: 'available', kind: 'count', path })),
        }),
      node: (path) => {
        const of = { kind: 'node', path };
        return unheard({
          create: async ({ data = '', mode = 'PERSISTENT' } = {}) =>
            String(await call({ op: 'create', ...of, data, mode })),
          delete: async () => void (await call({ op: 'delete', ...of })),
          set: async (data) => void (await call({ op: 'set', ...of, data })),
          children: async () => (await call({ op: 'children', ...of })) as readonly string[] | null,
          revoke: async () => void (await call({ op: 'revoke', ...of })),
        });
      },
    });
  };
  return {
    ...program,
    thread,
    session: async () => String(await ask('session', { op: 'session' })),
    close: async () => void (await ask('close', { op: 'close' })),
  };
}
