/** The environment, parsed once at startup. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ProblemError } from '@/lib/domain/problem';
import type { SourceSettings } from '@/lib/domain/seam/source-settings';
import { rootsOf } from '@/lib/providers/consul/client/root';
import {
  type ConsulSettings,
  consulSettings,
  type RenewalAgents,
  renewalAgents,
} from '@/lib/providers/consul/client/settings';
import { readSources } from './source-list';

const list = z.string().max(16_384).default('');
const minutes = (fallback: number, max: number) => z.coerce.number().int().min(1).max(max).default(fallback);

const unitBytes = { MB: 1e6, GB: 1e9 } as const;
/** `500MB`, `2GB`, or a count of bytes. */
const size = z
  .string()
  .regex(/^\d{1,15}(MB|GB)?$/)
  .transform((text) => Number.parseInt(text, 10) * (unitBytes[text.slice(-2) as keyof typeof unitBytes] ?? 1))
  .refine((bytes) => bytes >= 1e6, 'at least 1MB');

const schema = z.object({
  SIGNALBOX_PREFIXES: z.string().default(''),
  SIGNALBOX_MODE: z.enum(['console', 'read-only', '']).default(''),
  SIGNALBOX_ACTIONS: z.enum(['on', 'off', '']).default(''),
  SIGNALBOX_ANONYMOUS: z.enum(['on', 'off', '']).default(''),
  SIGNALBOX_HISTORY: z.enum(['on', 'off', '']).default(''),
  SIGNALBOX_HISTORY_DAYS: z.coerce.number().int().min(1).max(400).default(30),
  SIGNALBOX_HISTORY_BYTES: size.default(1e9),
  SIGNALBOX_EMBEDS: z.enum(['on', 'off', '']).default(''),
  SIGNALBOX_METRICS: z.enum(['on', 'off', '']).default(''),
  SIGNALBOX_METRICS_ROWS: z.coerce.number().int().min(0).max(20_000).default(500),
  SIGNALBOX_HOST: z.string().default(''),
  SIGNALBOX_URL: z.string().default(''),
  SIGNALBOX_TRUSTED_PROXY: list,
  SIGNALBOX_IDENTITY_HEADER: z
    .string()
    .regex(/^[a-z0-9-]{0,64}$/i)
    .default(''),
  SIGNALBOX_IDLE_MINUTES: minutes(60, 24 * 60),
  SIGNALBOX_SIGN_IN_MINUTES: minutes(12 * 60, 7 * 24 * 60),
  SIGNALBOX_RENEWAL_AGENTS: list,
  SIGNALBOX_DATA: z.string().default('.signalbox/data'),
  SIGNALBOX_DEMO: z.string().default(''),
  SIGNALBOX_PAGE_ROWS_MAX: z.coerce.number().int().min(1).max(1_000_000).default(60_000),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
});

/** `access.ts` derives one person's access from them. */
export interface Env {
  readonly consul: ConsulSettings;
  /** None: off. */
  readonly renewalAgents: RenewalAgents;
  /** The lock servers to watch, at least one. */
  readonly sources: readonly SourceSettings[];
  /** String prefixes to watch; `['']` is everything. */
  readonly prefixes: readonly string[];
  /** `read-only`: no person ever writes. */
  readonly mode: 'console' | 'read-only';
  /** `null`: not set; the server's listening address decides. */
  readonly actions: 'on' | 'off' | null;
  /** Strangers see what the server's own token may read. */
  readonly anonymous: boolean;
  /** Only this machine reaches the server. */
  readonly loopback: boolean;
  /** Without a final slash. */
  readonly url: URL | null;
  /** `header`: names the person; `null` for none. */
  readonly proxy: { readonly addresses: readonly string[]; readonly header: string | null };
  readonly signIn: {
    /** The first key seals the cookie; all open it. Empty: every start makes one. */
    readonly keys: readonly string[];
    readonly idleMs: number;
    readonly longestMs: number;
  };
  readonly embeds: {
    readonly allowed: boolean;
    /** The first signs. Empty: no signed tokens. */
    readonly keys: readonly { readonly id: string; readonly secret: string }[];
  };
  readonly metrics: {
    readonly setting: 'on' | 'off' | null;
    readonly token: string | null;
    readonly rowsMax: number;
  };
  readonly audit: { readonly webhook: URL | null; readonly webhookSecret: string | null };
  /** A folder, or a Postgres database. */
  readonly store: { readonly folder: string } | { readonly postgres: string };
  readonly history: { readonly on: boolean; readonly days: number; readonly bytes: number };
  /** Beyond this many rows a page follows only the rows that it shows. */
  readonly pageRowsMax: number;
  readonly demo: boolean;
  readonly logLevel: z.infer<typeof schema>['LOG_LEVEL'];
}

type Variables = Readonly<Record<string, string | undefined>>;

const invalid = (detail: string) => new ProblemError({ code: 'invalid', detail });

/** An unset host is not loopback: a manual `next start` listens on every address. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127\./.test(host);
}

/** The secret from the variable, or from the file that `<name>_FILE` names, which wins. `null`: neither is set. */
function secret(env: Variables, name: string): string | null {
  const path = env[`${name}_FILE`];
  if (path === undefined || path === '') return env[name]?.trim() || null;
  try {
    return readFileSync(path, 'utf8').trim() || null;
  } catch {
    throw invalid(`${name}_FILE names ${path}, which cannot be read.`);
  }
}

const parts = (text: string | null) =>
  (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const secretLengthMin = 32;

function keysOf(env: Variables, name: string): readonly string[] {
  const keys = parts(secret(env, name));
  if (keys.some((key) => key.length < secretLengthMin) || keys.length > 2)
    throw invalid(`${name} must be one or two keys of at least ${secretLengthMin} characters, with a comma.`);
  return keys;
}

function embedKeys(env: Variables): Env['embeds']['keys'] {
  const name = 'SIGNALBOX_EMBED_KEYS';
  const keys = parts(secret(env, name)).map((part) => {
    const at = part.indexOf(':');
    return { id: part.slice(0, Math.max(0, at)), secret: part.slice(at + 1) };
  });
  const sound = keys.every((key) => /^[\w.-]{1,64}$/.test(key.id) && key.secret.length >= secretLengthMin);
  if (!sound || keys.length > 2 || new Set(keys.map((key) => key.id)).size < keys.length)
    throw invalid(
      `${name} must be one or two of <name>:<key>, with a comma; a key has at least ${secretLengthMin} characters.`,
    );
  return keys;
}

/** The receiver must be able to distinguish the audit from a forged post. */
function webhookSecret(env: Variables): string | null {
  const name = 'SIGNALBOX_AUDIT_WEBHOOK_SECRET';
  const key = secret(env, name);
  const configured = (env.SIGNALBOX_AUDIT_WEBHOOK ?? '').trim() !== '';
  if (configured && (key ?? '').length < secretLengthMin)
    throw invalid(`SIGNALBOX_AUDIT_WEBHOOK needs ${name}, of at least ${secretLengthMin} characters.`);
  // A key without an address means a misspelt address, and an audit that is never sent.
  if (!configured && key !== null)
    throw invalid(`${name} needs SIGNALBOX_AUDIT_WEBHOOK, the address to send to.`);
  return key;
}

function address(text: string, name: string, protocols: readonly string[]): URL | null {
  if (text.trim() === '') return null;
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : null;
  if (url === null || !protocols.includes(url.protocol) || url.username !== '' || url.password !== '')
    throw invalid(
      `${name} must be an address that begins with ${protocols.map((p) => `${p}//`).join(' or ')}, without credentials.`,
    );
  return url;
}

/** Reads the environment. Throws a `ProblemError` of code `invalid` that names the wrong variable. */
export function readEnv(env: Variables): Env {
  const parsed = schema.safeParse(env);
  if (!parsed.success) {
    const name = String(parsed.error.issues[0]?.path[0] ?? 'The environment');
    throw invalid(`${name} has a value that is not understood.`);
  }
  const values = parsed.data;
  const consul = consulSettings(env);
  const http = ['https:', 'http:'];
  const url = address(values.SIGNALBOX_URL, 'SIGNALBOX_URL', http);
  if (url !== null && url.pathname !== '/')
    throw invalid('SIGNALBOX_URL must be an origin: Signalbox does not run below a path.');
  const postgres = secret(env, 'DATABASE_URL');
  if (postgres !== null && !/^postgres(ql)?:\/\//.test(postgres))
    throw invalid('DATABASE_URL must begin with postgres:// or postgresql://.');
  return {
    consul,
    renewalAgents: renewalAgents(values.SIGNALBOX_RENEWAL_AGENTS, consul),
    prefixes: rootsOf(values.SIGNALBOX_PREFIXES, 'SIGNALBOX_PREFIXES'),
    sources: readSources(env),
    mode: values.SIGNALBOX_MODE || 'console',
    actions: values.SIGNALBOX_ACTIONS || null,
    anonymous: values.SIGNALBOX_ANONYMOUS === 'on',
    loopback: isLoopback(values.SIGNALBOX_HOST.trim()),
    url,
    proxy: {
      addresses: parts(values.SIGNALBOX_TRUSTED_PROXY),
      header: values.SIGNALBOX_IDENTITY_HEADER.toLowerCase() || null,
    },
    signIn: {
      keys: keysOf(env, 'SIGNALBOX_SECRET'),
      idleMs: values.SIGNALBOX_IDLE_MINUTES * 60_000,
      longestMs: values.SIGNALBOX_SIGN_IN_MINUTES * 60_000,
    },
    embeds: { allowed: values.SIGNALBOX_EMBEDS !== 'off', keys: embedKeys(env) },
    metrics: {
      setting: values.SIGNALBOX_METRICS || null,
      token: secret(env, 'SIGNALBOX_METRICS_TOKEN'),
      rowsMax: values.SIGNALBOX_METRICS_ROWS,
    },
    audit: {
      webhook: address(env.SIGNALBOX_AUDIT_WEBHOOK ?? '', 'SIGNALBOX_AUDIT_WEBHOOK', http),
      webhookSecret: webhookSecret(env),
    },
    history: {
      on: values.SIGNALBOX_HISTORY !== 'off',
      days: values.SIGNALBOX_HISTORY_DAYS,
      bytes: values.SIGNALBOX_HISTORY_BYTES,
    },
    store: postgres === null ? { folder: values.SIGNALBOX_DATA } : { postgres },
    pageRowsMax: values.SIGNALBOX_PAGE_ROWS_MAX,
    demo: values.SIGNALBOX_DEMO === '1',
    logLevel: values.LOG_LEVEL,
  };
}
