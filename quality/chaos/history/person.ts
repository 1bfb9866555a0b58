/** A person who frees, evicts and ends through Signalbox's API, and the actions that were done. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Chance } from '@/quality/chaos/chance';

/** A completed action, whose effect came between its two instants. */
export interface DoneDeed {
  readonly type: string;
  /** `null`: the action ended the whole session. */
  readonly subject: string | null;
  /** The holders in its plan, which may differ from the one that was chosen. */
  readonly sessions: readonly string[];
  /** True when all of it was done; otherwise a part was. */
  readonly sure: boolean;
  readonly askedMs: number;
  readonly answeredMs: number;
}

export interface Person {
  readonly done: readonly DoneDeed[];
  readonly refused: () => number;
  stop(): Promise<void>;
}

interface Answer {
  readonly expect?: unknown;
  readonly outcome?: { readonly done: boolean; readonly parts: readonly { readonly done: boolean }[] };
}

const idsIn = (expect: unknown): readonly string[] =>
  JSON.stringify(expect).match(/[0-9a-f]{8}-[0-9a-f-]{27}/g) ?? [];

export function startPerson({
  baseUrl,
  held,
  chance,
  everyMs,
}: {
  baseUrl: string;
  /** The present holds, as Consul has them. */
  held: () => Promise<readonly { readonly subject: string; readonly session: string }[]>;
  chance: Chance;
  everyMs: number;
}): Person {
  const end = new AbortController();
  const done: DoneDeed[] = [];
  let refused = 0;
  const post = async (body: object): Promise<Answer> => {
    const answer = await fetch(`${baseUrl}/api/v1/actions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ reason: 'the storm', ...body }),
      signal: AbortSignal.timeout(60_000),
    });
    return (await answer.json()) as Answer;
  };
  const actionOn = (subject: string, session: string) => {
    const name = subject.slice(subject.indexOf(':') + 1);
    if (chance() < 0.25) return { type: 'session.destroy', source: 'consul', sessionId: session };
    if (subject.startsWith('lock:')) {
      const how = chance() < 0.5 ? 'destroy-session' : 'hand-over';
      return { type: 'lock.release', source: 'consul', key: name, how };
    }
    const how = chance() < 0.5 ? 'destroy-session' : 'slot-only';
    return { type: 'semaphore.evict', source: 'consul', prefix: name, sessionId: session, how };
  };
  const one = async () => {
    const all = await held();
    const hold = all[Math.floor(chance() * all.length)];
    if (hold === undefined) return;
    const { subject, session } = hold;
    const action = actionOn(subject, session);
    const planned = await post({ mode: 'plan', action });
    if (planned.expect === undefined) {
      refused += 1;
      return;
    }
    const askedMs = Date.now();
    const answer = await post({ mode: 'apply', action, expect: planned.expect });
    if (answer.outcome === undefined) {
      refused += 1;
      return;
    }
    const whole = action.type === 'session.destroy';
    done.push({
      type: action.type,
      subject: whole ? null : subject,
      sessions: [session, ...idsIn(planned.expect)],
      sure: answer.outcome.done,
      askedMs,
      answeredMs: Date.now(),
    });
  };
  const acting = (async () => {
    while (!end.signal.aborted) {
      await delay(everyMs * (0.5 + chance()), undefined, { signal: end.signal }).catch(() => undefined);
      // Signalbox may be down, or not live.
      if (!end.signal.aborted)
        await one().catch(() => {
          refused += 1;
        });
    }
  })();
  return {
    done,
    refused: () => refused,
    stop: async () => {
      end.abort();
      await acting;
    },
  };
}
