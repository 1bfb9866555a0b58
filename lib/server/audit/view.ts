/**
 * Who sees which rows of the audit.
 *
 * Where the backend asks for no credentials, whoever may see the console sees all of it. Where it does:
 * - whoever oversees the backend's own credentials (for Consul: `acl:read`) sees all rows. That right already shows
 *   every token and rule, and without anybody who sees all rows nobody could check the chain;
 * - everybody else who signed in sees their own rows, and those of others of which the backend says that each key named
 *   in them may be read. Not being able to ask hides. A session is no key, so what was done to one is seen by its doer;
 *   and so are sign-ins and share links, which name none;
 * - who has not signed in sees none.
 *
 * Nothing tells those who see a part how many rows there are besides: they get no numbers, digests or plain cursors, and
 * no filter but time is carried out before a row is known to be theirs. Of what others did they get what is about the
 * subjects that they may read (`cut.ts`): a session that was ended may have held other keys.
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
  /** Sees every row, and its place in the chain. */
  readonly all: boolean;
  /** The rows that this viewer may see, in their order. */
  visible(rows: readonly AuditRow[], signal: AbortSignal): Promise<readonly AuditRow[]>;
  /** Whether rows about this subject may be looked for by name. */
  mayName(subject: string, signal: AbortSignal): Promise<boolean>;
  show(row: AuditRow): ShownRow;
  /** A place in the audit as this viewer is told it. */
  seal(seq: number): string;
  open(cursor: string): number;
}

/** How long an answer of the backend about one key is remembered, so that a page is one question and not fifty. */
const rememberedMs = 10_000;
const rememberedMax = 10_000;
const askTimeoutMs = 5_000;

interface Remembered {
  readonly right: Right;
  readonly untilMs: number;
}
/** By provider, which is by credential: what one may read says nothing of another. */
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
      // What could not be asked is asked again at once, so that an outage hides no longer than it lasts.
      if (right !== 'unknown') known.set(key, { right, untilMs: now() + rememberedMs });
    });
  }
  return (key: string): Right => answers.get(key) ?? 'unknown';
}

/** The key whose right decides about a subject; `null` where no key does. */
function keyOf(subject: string): string | null {
  if (subject.startsWith('lock:')) return subject.slice('lock:'.length);
  // The coordination entry: whoever reads it reads the holders, which is what the row tells of.
  if (subject.startsWith('semaphore:')) return `${subject.slice('semaphore:'.length)}/.lock`;
  return null;
}

/** Kinds of rows that are about keys. Sign-ins and share links are about people, whatever they name. */
const ofActions: readonly AuditKind[] = ['intent', 'outcome', 'followed', 'unknown', 'refused'];

/** Every key that must be readable to see what somebody else did; `null`: no right to keys is enough. */
function keysOf(row: AuditRow): readonly string[] | null {
  if (row.subjects.length === 0 || !ofActions.includes(row.kind)) return null;
  // It is about more keys than it names.
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

/** A viewer who sees a part. */
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

/** What this caller sees of the audit. Throws `signed-out` for who has not signed in where that is asked for. */
export async function auditViewerOf(
  { identity, accessControl, viewpoint: { provider } }: AuditCaller,
  { auditCursors, now }: { readonly auditCursors: Cursors; readonly now: () => number },
  signal: AbortSignal,
): Promise<AuditViewer> {
  if (accessControl === 'off') return everything;
  // Never by the server's own credential: whoever looks without one of their own would see what that one may.
  if (identity.kind !== 'token')
    throw new ProblemError({ code: 'signed-out', why: { code: 'sign-in-to-see', facts: {} } });
  const limited = within(askTimeoutMs, signal);
  const oversees = await provider.oversees?.(limited).catch(() => {
    signal.throwIfAborted();
    return 'unknown' as const;
  });
  return oversees === 'yes' ? everything : partViewer({ identity, provider, cursors: auditCursors, now });
}
