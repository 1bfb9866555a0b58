/** The server's part in an action, without the edge: a real provider on a real Consul, a hub, and the record. */

import type { Identity } from '@/lib/domain/identity';
import { findingsOf } from '@/lib/domain/rules/table';
import type { Provider } from '@/lib/domain/seam/provider';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { createConsulProvider } from '@/lib/providers/consul/provider';
import { type ActionsCaller, answerAction } from '@/lib/server/actions/actions';
import { type ActionRecordOptions, createActionRecord } from '@/lib/server/actions/record';
import { createAuditLog } from '@/lib/server/audit/audit-log';
import { answering } from '@/lib/server/http/http';
import { createHub } from '@/lib/server/live/hub';
import type { Store } from '@/lib/server/store/store';

export interface Desk {
  readonly audit: ReturnType<typeof createAuditLog>;
  readonly hub: ActionsCaller['viewpoint']['hub'];
  /** The lines of the log. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  /** One request to plan or to apply. */
  post(request: Request): Promise<Response>;
  close(): Promise<void>;
}

export function openDesk({
  consul,
  store,
  replica = 'here',
  identity = { kind: 'token', id: 'a-1', name: 'Ann' },
  token = null,
  watch = true,
  appendMs,
  ...times
}: {
  /** `host:port`. */
  consul: string;
  store: Store;
  replica?: string;
  identity?: Identity;
  /** Of the caller. */
  token?: string | null;
  /** False: the view shows nothing, and Consul is not watched. */
  watch?: boolean;
  appendMs?: number;
} & Pick<ActionRecordOptions, 'openMs' | 'sweepMs' | 'followMs' | 'endMs'>): Desk {
  const lines: Record<string, unknown>[] = [];
  const add = (line: Record<string, unknown>, message?: string) => void lines.push({ ...line, message });
  const log = { info: add, warn: add, error: add } as never;
  const provider = createConsulProvider({
    settings: { ...consulSettings({ CONSUL_HTTP_ADDR: consul }), token },
    prefixes: [''],
    now: Date.now,
    renewalAgents: [],
  });
  const blind: Pick<Provider, 'watch'> = {
    watch: (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
  };
  const hub = createHub({
    provider: watch ? provider : { ...provider, ...blind },
    now: Date.now,
    instance: replica,
    findingsOf,
    onBug: console.error,
  });
  const audit = createAuditLog({
    store,
    replica,
    now: Date.now,
    ...(appendMs === undefined ? {} : { appendMs }),
  });
  const record = createActionRecord({ audit, log, now: Date.now, ...times });
  const caller: ActionsCaller = {
    identity,
    address: '192.0.2.7',
    discreet: (value) => value,
    viewpoint: { provider, hub },
  };
  const metrics = { acted: () => {} };
  return {
    audit,
    hub,
    lines,
    post: (request) => answering(() => answerAction(request, caller, { record, metrics, log })),
    close: async () => {
      await record.close();
      await hub.close();
      provider.close();
      await audit.close();
    },
  };
}

/** The request of a page or a program. */
export const asked = (body: unknown) =>
  new Request('http://127.0.0.1/api/v1/actions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
