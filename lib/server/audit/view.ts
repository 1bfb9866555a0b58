/**
 * The rows of the audit that each viewer sees.
 *
 * Where the backend asks for no credentials, all rows. Where it does:
 * - An overseer of the backend's credentials (for Consul: `acl:read`) sees all rows: that right already shows every
 *   token and rule, and without it no person could check the chain.
 * - Any other signed-in person sees their own rows, and other people's if the backend lets them read each key named
 *   there. An unanswered question hides the row. Rows about sessions, sign-ins and share links name no key.
 * - A stranger sees none.
 *
 * A viewer of a part never learns how many other rows exist: no numbers, digests or plain cursors, and the store
 * filters by time, thread and readable subjects only. Other people's rows are cut (`cut.ts`).
 */
import type { AuditKind, AuditRow } from '@/lib/domain/actions/audit';
import type { ShownRow } from '@/lib/domain/actions/deed';
import { type Identity, identityKey, type Right } from '@/lib/domain/identity';
import { ProblemError } from '@/lib/domain/problem';
import type { Provider } from '@/lib/domain/seam/provider';
import type { Caller } from '@/lib/server/identity/caller';
import { within } from '@/lib/server/process/deadline';
import { type Cursors, plainCursor } from './cursor';
import { cutDetail } from './cut';

export interface AuditViewer {
  readonly all: boolean;
  /** In the same order. */
  visible(rows: readonly AuditRow[], signal: AbortSignal): Promise<readonly AuditRow[]>;
  mayName(subject: string, signal: AbortSignal): Promise<boolean>;
  show(row: AuditRow): ShownRow;
  seal(seq: number): string;
  open(cursor: string): number;
}

const rememberedMs = 10_000;
const rememberedMax = 10_000;
const askTimeoutMs = 5_000;

interface Remembered {
  readonly right: Right;
  readonly untilMs: number;
}
/** By provider, which is by credential. */
const remembered = new WeakMap<Provider, Map<string, Remembered>>();

async function rightsTo(keys: readonly string[], provider: Provider, now: () => number, signal: AbortSignal) {
  const known = remembered.get(provider) ?? new Map<string, Remembered>();
  remembered.set(provider, known);
  const answers = new Map<string, Right>();
  for (const key of keys) {
    const before = known.get(key);
    if (before !== undefined && before.untilMs > now()) answers.set(key, before.right);
  }
  const missing = [...new Set(keys)].filter((key) => !answers.has(key));
  if (known.size + missing.length > rememberedMax) known.clear();
  if (missing.length > 0) {
    const limited = within(askTimeoutMs, signal);
    const rights = await provider.readable?.(missing, limited).catch(() => {
      signal.throwIfAborted();
      return null;
    });
    missing.forEach((key, i) => {
      const right = rights?.[i] ?? 'unknown';
      answers.set(key, right);
      // A question without an answer is asked again at once, so that an outage hides rows no longer than it lasts.
      if (right !== 'unknown') known.set(key, { right, untilMs: now() + rememberedMs });
    });
  }
  return (key: string): Right => answers.get(key) ?? 'unknown';
}

/** The key whose right decides about a subject; `null` where no key does. */
function keyOf(subject: string): string | null {
  if (subject.startsWith('lock:')) return subject.slice('lock:'.length);
  // The coordination entry: it names the holders, which the row is about.
  if (subject.startsWith('semaphore:')) return `${subject.slice('semaphore:'.length)}/.lock`;
  return null;
}

/** Sign-ins and share links are about people, whatever they name. */
const ofActions: readonly AuditKind[] = ['intent', 'outcome', 'followed', 'unknown', 'refused'];

/** The keys that a viewer must be able to read to see another person's row; `null`: no right to keys is enough. */
function keysOf(row: AuditRow): readonly string[] | null {
  if (row.subjects.length === 0 || !ofActions.includes(row.kind)) return null;
  // The row is about more keys than it names.
  if (row.detail.subjectsInAll !== undefined) return null;
  const keys = row.subjects.map(keyOf);
  return keys.includes(null) ? null : (keys as string[]);
}

const isOwn = (identity: Identity, { who }: AuditRow) =>
  identity.kind !== 'anonymous' && identityKey(who) === identityKey(identity);

const everything: AuditViewer = {
  all: true,
  visible: async (rows) => rows,
  mayName: async () => true,
  show: (row) => row,
  seal: String,
  open: plainCursor,
};

export function partViewer(options: {
  readonly identity: Identity;
  readonly provider: Provider;
  readonly cursors: Cursors;
  readonly now: () => number;
}): AuditViewer {
  const { identity, provider, cursors, now } = options;
  const person = identityKey(identity);
  return {
    all: false,
    visible: async (rows, signal) => {
      const theirs = rows.filter((row) => !isOwn(identity, row));
      const asked = new Map(theirs.map((row) => [row, keysOf(row)]));
      const right = await rightsTo(
        [...asked.values()].flatMap((keys) => keys ?? []),
        provider,
        now,
        signal,
      );
      const mayRead = (row: AuditRow) => asked.get(row)?.every((key) => right(key) === 'yes') ?? false;
      return rows.filter((row) => isOwn(identity, row) || mayRead(row));
    },
    mayName: async (subject, signal) => {
      const key = keyOf(subject);
      return key !== null && (await rightsTo([key], provider, now, signal))(key) === 'yes';
    },
    show: (whole) => {
      const { seq: _seq, before: _before, digest: _digest, ...row } = whole;
      return isOwn(identity, whole) ? row : { ...row, detail: cutDetail(whole) };
    },
    seal: (seq) => cursors.seal(seq, person),
    open: (cursor) => cursors.open(cursor, person),
  };
}

export interface AuditCaller extends Pick<Caller, 'identity' | 'accessControl'> {
  readonly viewpoint: { readonly provider: Provider };
}

/** Throws `signed-out` where a sign-in is required and missing. */
export async function auditViewerOf(
  { identity, accessControl, viewpoint: { provider } }: AuditCaller,
  { auditCursors, now }: { readonly auditCursors: Cursors; readonly now: () => number },
  signal: AbortSignal,
): Promise<AuditViewer> {
  if (accessControl === 'off') return everything;
  // A stranger must not borrow the rights of the server's own credential.
  if (identity.kind !== 'token')
    throw new ProblemError({ code: 'signed-out', why: { code: 'sign-in-to-see', facts: {} } });
  const limited = within(askTimeoutMs, signal);
  const oversees = await provider.oversees?.(limited).catch(() => {
    signal.throwIfAborted();
    return 'unknown' as const;
  });
  return oversees === 'yes' ? everything : partViewer({ identity, provider, cursors: auditCursors, now });
}
