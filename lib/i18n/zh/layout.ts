/** Chinese: each client type's name, peculiarities, and how fast its clients notice a loss. */
import type { Layout } from '@/lib/domain/layout';
import type { LayoutText } from '@/lib/i18n/en/layout';
import { consul } from './providers/consul';
import { redis } from './providers/redis';
import { standIn } from './providers/stand-in';
import { zookeeper } from './providers/zookeeper';

export const layouts: Readonly<Record<Layout, LayoutText>> = {
  ...consul.layouts,
  ...redis.layouts,
  ...standIn.layouts,
  ...zookeeper.layouts,
};
