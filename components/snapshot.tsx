'use client';
/**
 * How the screens read the live snapshot. React hydrates a page in parts, and the stream may bring news before the
 * last part is done; a part that then showed the news would not find the text that the server wrote. So whatever
 * is still hydrating reads what the server rendered, and everything else reads what is live.
 */
import { createContext, use, useSyncExternalStore } from 'react';
import {
  type Connection,
  useConnection as useLiveConnection,
  useSnapshotPart as useLivePart,
  useSnapshot as useLiveSnapshot,
} from '@/lib/client/queries';
import type { Snapshot } from '@/lib/domain/model';

export type { Connection } from '@/lib/client/queries';

const InitialContext = createContext<Snapshot | null>(null);

/** Passes on what the server rendered. */
export function InitialSnapshot({ initial, children }: { initial: Snapshot; children: React.ReactNode }) {
  return <InitialContext value={initial}>{children}</InitialContext>;
}

const never = () => () => {};

/** The server's snapshot while this part hydrates, `null` ever after. */
function useInitial(): Snapshot | null {
  const initial = use(InitialContext);
  const hydrating = useSyncExternalStore(
    never,
    () => false,
    () => true,
  );
  return hydrating ? initial : null;
}

/** The whole snapshot; renders again with every change. Prefer `useSnapshotPart`. */
export function useSnapshot(): Snapshot {
  const live = useLiveSnapshot();
  return useInitial() ?? live;
}

/** A part of the snapshot; renders again only when that part changes. Keep the identity of `select`. */
export function useSnapshotPart<T>(select: (snapshot: Snapshot) => T): T {
  const live = useLivePart(select);
  const initial = useInitial();
  return initial === null ? live : select(initial);
}

const connecting: Connection = { state: 'connecting', sinceMs: null };

/** The connection from this browser to Signalbox. */
export function useConnection(): Connection {
  const live = useLiveConnection();
  return useInitial() === null ? live : connecting;
}
