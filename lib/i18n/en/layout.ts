/** English: each client type's name, peculiarities, and how fast its clients notice a loss. */
import type { Layout } from '@/lib/domain/layout';
import { consul } from './providers/consul';
import { redis } from './providers/redis';
import { standIn } from './providers/stand-in';
import { zookeeper } from './providers/zookeeper';

export interface LayoutText {
  readonly name: string;
  /** The caution before an action; `null`: none. */
  readonly caution: string | null;
  /** The clients that notice a lost lock or slot, and how fast. */
  readonly notices: string;
  /** Without a client in view that could take over. */
  readonly alone?: { readonly caution: string; readonly notices: string };
}

export const layouts: Readonly<Record<Layout, LayoutText>> = {
  ...consul.layouts,
  ...redis.layouts,
  ...standIn.layouts,
  ...zookeeper.layouts,
};
