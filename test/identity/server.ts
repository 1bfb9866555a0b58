/** The parts that answer a request, joined as in the server, in front of a real agent and without Next. */
import { pino } from 'pino';
import type { AuditEntry } from '@/lib/domain/actions/audit';
import { createFindingSteps, findingsOf } from '@/lib/domain/rules/table';
import type { Backend } from '@/lib/domain/seam/backend';
import { answerEvents, answerSnapshot } from '@/lib/server/answers/feed';
import { answerFindings } from '@/lib/server/answers/findings';
import { answerSession, answerSignIn, answerSignOut, answerTouch } from '@/lib/server/answers/session';
import { createArrivals } from '@/lib/server/http/arrival';
import { answering } from '@/lib/server/http/http';
import { createLimits } from '@/lib/server/http/limits';
import { createAccessControl, createAccessWatch } from '@/lib/server/identity/access-control';
import { type CallerRuntime, callerOf } from '@/lib/server/identity/caller';
import { createCredentialPool } from '@/lib/server/identity/credential-pool';
import { createCredentials } from '@/lib/server/identity/credentials';
import { createEndedSignIns } from '@/lib/server/identity/ended-sign-ins';
import { answerRights } from '@/lib/server/identity/rights';
import { createSeal } from '@/lib/server/identity/seal';
import { createSignIns } from '@/lib/server/identity/sign-ins';
import { readEnv } from '@/lib/server/process/env';
import type { Store } from '@/lib/server/store/store';
import type { TestConsul } from '@/test/support/consul';
import { backendOn } from './tokens';

const session = { GET: answerSession, POST: answerSignIn, PUT: answerTouch, DELETE: answerSignOut } as const;
const address = 'http://signalbox.test';

/**
 * `token`: the server's own. `store`: where ended sign-ins are kept; in memory without one. `follows`: the agent's log, for
 * renewals. `backend`: another one than that of `consul` alone.
 */
export function serverOn(
  consul: Pick<TestConsul, 'address'>,
  {
    token = null,
    variables = {},
    store = null,
    follows = false,
    backend = backendOn(consul, { token, prefixes: readEnv(variables).prefixes, follows }),
  }: {
    token?: string | null;
    variables?: Record<string, string>;
    store?: Store | null;
    follows?: boolean;
    backend?: Backend;
  } = {},
) {
  const now = Date.now;
  const env = readEnv(variables);
  const credentials = createCredentials({ backend, now });
  const bugs: unknown[] = [];
  const viewpoints = createCredentialPool({
    backend,
    now,
    findingsOf,
    createFindingChanges: createFindingSteps,
    streamsMax: 10,
    onSource: () => {},
    onSignedOut: credentials.forget,
    onBug: (error) => bugs.push(error),
  });
  let said = '';
  const write = (line: string) => {
    said += line;
  };
  const log = pino({ level: 'trace' }, { write });
  const endedSignIns = createEndedSignIns({ store, shared: false, now, log });
  const signIns = createSignIns({ now, idleMs: env.signIn.idleMs, endedSignIns });
  const rows: AuditEntry[] = [];
  const audit = { append: async (entry: AuditEntry) => void rows.push(entry) };
  const accessControl = createAccessControl({ backend, now });
  const runtime = {
    env,
    audit,
    backend,
    viewpoints,
    arrivals: createArrivals(env),
    seal: createSeal(env.signIn.keys),
    signIns,
    credentials,
    accessControl,
    accessWatch: createAccessWatch(accessControl),
    limits: createLimits(),
    log,
    now,
  };
  const asked = (path: string, headers: Record<string, string>, body?: unknown, signal?: AbortSignal) =>
    new Request(`${address}${path}`, {
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  const caller = (headers: Record<string, string>) =>
    callerOf(new Headers(headers), runtime as CallerRuntime);
  return {
    runtime,
    bugs,
    /** The recorded rows. */
    rows,
    log: () => said,
    caller,
    session: (method: keyof typeof session, headers: Record<string, string> = {}, body?: unknown) =>
      answering(async () => session[method](asked('/api/v1/session', headers, body), runtime as never)),
    snapshot: (headers: Record<string, string>) =>
      answering(async () =>
        answerSnapshot(asked('/api/v1/snapshot', headers), (await caller(headers)).viewpoint),
      ),
    findings: (headers: Record<string, string>) =>
      answering(async () =>
        answerFindings(asked('/api/v1/findings', headers), (await caller(headers)).viewpoint),
      ),
    rights: (headers: Record<string, string>, actions: readonly unknown[]) =>
      answering(async () =>
        answerRights(asked('/api/v1/rights', headers, { actions }), (await caller(headers)).viewpoint),
      ),
    events: (headers: Record<string, string>, signal: AbortSignal) =>
      answering(async () =>
        answerEvents(asked('/api/v1/events', headers, undefined, signal), await caller(headers), runtime),
      ),
    close: async () => {
      await signIns.close();
      await viewpoints.close();
      backend.close();
    },
  };
}

export type Server = ReturnType<typeof serverOn>;

/** Signs in, as a browser: the headers with which it comes from then on. */
export async function signedIn(server: Server, token: string): Promise<Record<string, string>> {
  const response = await server.session('POST', {}, { token });
  if (!response.ok) throw new Error(await response.text());
  return { cookie: (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '' };
}

/** Reads an event stream as it comes. `text()`: so far. `ended`: resolves with all of it. */
export function listen(response: Response) {
  let text = '';
  const ended = (async () => {
    const reader = response.body?.getReader();
    const decoder = new TextDecoder();
    for (;;) {
      const part = await reader?.read();
      if (part === undefined || part.done) return text;
      text += decoder.decode(part.value, { stream: true });
    }
  })();
  return { text: () => text, ended };
}
