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
import { type Identity, identityKey } from '@/lib/domain/identity';
import { ProblemError } from '@/lib/domain/problem';
import type { Provider } from '@/lib/domain/seam/provider';
import type { Caller } from '@/lib/server/identity/caller';
import { readableOf, rightsTo } from '@/lib/server/identity/subject-rights';
import { within } from '@/lib/server/process/deadline';
import { type Cursors, plainCursor } from './cursor';
import { cutDetail } from './cut';

const askTimeoutMs = 5_000;

export interface AuditViewer {
  readonly all: boolean;
  /** The answers have the order of the rows. */
  visible(rows: readonly AuditRow[], signal: AbortSignal): Promise<readonly AuditRow[]>;
  mayName(subject: string, signal: AbortSignal): Promise<boolean>;
  show(row: AuditRow): ShownRow;
  seal(seq: number): string;
  open(cursor: string): number;
}

/** Sign-ins and share links are about people, whatever they name. */
const ofActions: readonly AuditKind[] = ['intent', 'outcome', 'followed', 'unknown', 'refused'];

/** The subjects that a viewer must be able to read to see another person's row; `null`: no such right is enough. */
function decisiveOf(row: AuditRow): readonly string[] | null {
  if (row.subjects.length === 0 || !ofActions.includes(row.kind)) return null;
  // The row is about more subjects than it names.
  if (row.detail.subjectsInAll !== undefined) return null;
  return row.subjects.some((one) => readableOf(one) === null) ? null : row.subjects;
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
      const othersRows = rows.filter((row) => !isOwn(identity, row));
      const subjectsByRow = new Map(othersRows.map((row) => [row, decisiveOf(row)]));
      const right = await rightsTo(
        [...subjectsByRow.values()].flatMap((subjects) => subjects ?? []),
        provider,
        now,
        signal,
      );
      const mayRead = (row: AuditRow) =>
        subjectsByRow.get(row)?.every((subject) => right(subject) === 'yes') ?? false;
      return rows.filter((row) => isOwn(identity, row) || mayRead(row));
    },
    mayName: async (subject, signal) => (await rightsTo([subject], provider, now, signal))(subject) === 'yes',
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
