/** The last hours of the rows on screen. They are read together, again now and then, and forgotten with their rows. */
import { call } from '@/lib/client/call';
import { paths } from '@/lib/client/paths';
import { type ColumnsAnswer, columnsMax, type HourColumn } from '@/lib/domain/history/column';

/** Rows that come in one scroll are asked for at once. */
const gatherMs = 120;
const againMs = 30_000;
const timeoutMs = 10_000;

export type ColumnState = 'reading' | 'kept' | 'off' | 'away';

interface Entry {
  column: HourColumn | null;
  readMs: number;
  readers: number;
}

const entries = new Map<string, Entry>();
const listeners = new Set<() => void>();
let state: ColumnState = 'reading';
let isGathering = false;
let timer: ReturnType<typeof setInterval> | undefined;

const notify = () => {
  for (const listener of listeners) listener();
};

async function ask(subjects: readonly string[]): Promise<void> {
  try {
    const { response, answer } = await call(paths.api.historyColumns(), {
      method: 'POST',
      body: { subjects },
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (!response.ok) throw new Error(`columns answered ${response.status}`);
    const { off, awaySinceMs, columns } = answer as ColumnsAnswer;
    state = off ? 'off' : awaySinceMs === null ? 'kept' : 'away';
    for (const subject of subjects) {
      const entry = entries.get(subject);
      if (entry !== undefined) entry.column = state === 'kept' ? (columns[subject] ?? null) : null;
    }
  } catch {
    // A drawing that is not of this hour would be taken for it.
    state = 'away';
    for (const entry of entries.values()) entry.column = null;
  }
  notify();
}

function gather(): void {
  isGathering = false;
  const dueMs = Date.now() - againMs / 2;
  const due = [...entries].filter(([, entry]) => entry.readMs < dueMs);
  for (const [, entry] of due) entry.readMs = Date.now();
  const subjects = due.map(([subject]) => subject);
  for (let i = 0; i < subjects.length; i += columnsMax) void ask(subjects.slice(i, i + columnsMax));
}

/** While it is listened to, it is read. */
export function listenTo(subject: string, listener: () => void): () => void {
  const entry = entries.get(subject) ?? { column: null, readMs: 0, readers: 0 };
  entry.readers += 1;
  entries.set(subject, entry);
  listeners.add(listener);
  if (!isGathering) {
    isGathering = true;
    setTimeout(gather, gatherMs);
  }
  timer ??= setInterval(() => {
    if (document.visibilityState === 'visible') gather();
  }, againMs);
  return () => {
    listeners.delete(listener);
    entry.readers -= 1;
    if (entry.readers > 0) return;
    entries.delete(subject);
    if (entries.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

export function listenToState(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export const columnOfSubject = (subject: string): HourColumn | null => entries.get(subject)?.column ?? null;
export const columnState = (): ColumnState => state;
