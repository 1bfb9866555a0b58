/** The environment, parsed once when the server starts. A wrong variable ends the start with a sentence. */
import { z } from 'zod';
import { type ConsulSettings, consulSettings, renewalAgents } from '@/lib/consul/settings';
import { ProblemError } from '@/lib/domain/problem';
import type { Why } from '@/lib/domain/refusal';

const schema = z.object({
  SIGNALBOX_PREFIXES: z.string().default(''),
  SIGNALBOX_ACTIONS: z.enum(['on', 'off', '']).default(''),
  SIGNALBOX_HOST: z.string().default(''),
  SIGNALBOX_RENEWAL_AGENTS: z.string().max(16_384).default(''),
  SIGNALBOX_DEMO: z.string().default(''),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
});

/**
 * Whether this server writes at all; if not, why. `loopback`: allowed because only this machine
 * reaches it, so only under a name of this machine: a page elsewhere may point its own name at 127.0.0.1, and its
 * requests then count as same-origin (DNS rebinding).
 */
export type ActionsAllowed =
  | { readonly allowed: true; readonly hosts: 'any' | 'loopback' }
  | { readonly allowed: false; readonly reason: Why };

export interface Env {
  readonly consul: ConsulSettings;
  /** The agents whose log is followed for renewals; none when that is off. */
  readonly renewalAgents: readonly ConsulSettings[];
  /** String prefixes to watch; `['']` is everything. */
  readonly prefixes: readonly string[];
  readonly actions: ActionsAllowed;
  /** The world on show is the demo. */
  readonly demo: boolean;
  readonly logLevel: z.infer<typeof schema>['LOG_LEVEL'];
}

/** Addresses that only this machine reaches. Unset is not one: `next start` by hand listens on every address. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127\./.test(host);
}

function actionsAllowed(setting: 'on' | 'off' | '', host: string): ActionsAllowed {
  if (setting === 'on') return { allowed: true, hosts: 'any' };
  if (setting === 'off') return { allowed: false, reason: { code: 'actions-off', facts: {} } };
  // Whoever reaches the page would act with the server's own token.
  if (!isLoopback(host)) return { allowed: false, reason: { code: 'not-this-machine-alone', facts: {} } };
  return { allowed: true, hosts: 'loopback' };
}

/** Reads the environment. Throws a `ProblemError` of code `invalid` that names the variable at fault. */
export function readEnv(env: Readonly<Record<string, string | undefined>>): Env {
  const parsed = schema.safeParse(env);
  if (!parsed.success) {
    const name = String(parsed.error.issues[0]?.path[0] ?? 'The environment');
    throw new ProblemError({ code: 'invalid', detail: `${name} has a value that is not understood.` });
  }
  const { SIGNALBOX_PREFIXES, SIGNALBOX_ACTIONS, SIGNALBOX_HOST, SIGNALBOX_DEMO, LOG_LEVEL } = parsed.data;
  const prefixes = SIGNALBOX_PREFIXES.split(',')
    .map((prefix) => prefix.trim().replace(/^\/+/, ''))
    .filter((prefix) => prefix !== '');
  const consul = consulSettings(env);
  return {
    consul,
    renewalAgents: renewalAgents(parsed.data.SIGNALBOX_RENEWAL_AGENTS, consul),
    prefixes: prefixes.length === 0 ? [''] : prefixes,
    actions: actionsAllowed(SIGNALBOX_ACTIONS, SIGNALBOX_HOST.trim()),
    demo: SIGNALBOX_DEMO === '1',
    logLevel: LOG_LEVEL,
  };
}
