'use client';
/**
 * What the backend says of the rights to actions before a button lights up. The buttons of a page ask together, and
 * again while they are on show, since rights change without a word. Not being told is no denial.
 */
import { QueryClient, useQueries } from '@tanstack/react-query';
import { useContext, useEffect, useState } from 'react';
import type { Action } from '@/lib/domain/actions/action';
import type { RightTo } from '@/lib/domain/identity';
import { AnswersContext } from './answers';
import { call } from './call';
import { paths } from './paths';

/** How long an answer is good for. */
const freshMs = 30_000;
/** Most actions in one request; the server takes no more. */
export const rightsMax = 64;
/** Most bytes of actions in one request: a prune names up to 500 semaphores. */
const batchBytesMax = 64 * 1024;

interface PendingRight {
  readonly text: string;
  readonly tell: (right: RightTo) => void;
}
let waiting: PendingRight[] = [];

const notTold: RightTo = { right: 'unknown', needs: [] };

function rightOf(right: unknown, needs: unknown): RightTo {
  if (right !== 'yes' && right !== 'no') return notTold;
  return { right, needs: Array.isArray(needs) ? needs : [] };
}

/** Each action once, as many in a request as it takes. */
function batchesOf(texts: ReadonlySet<string>): string[][] {
  const batches: string[][] = [];
  let bytes = 0;
  for (const text of texts) {
    const last = batches.at(-1);
    if (last === undefined || last.length === rightsMax || bytes + text.length > batchBytesMax) {
      batches.push([text]);
      bytes = text.length;
    } else {
      last.push(text);
      bytes += text.length;
    }
  }
  return batches;
}

async function askBatch(texts: readonly string[]): Promise<ReadonlyMap<string, RightTo>> {
  const { answer } = await call(paths.api.rights(), {
    method: 'POST',
    body: { actions: texts.map((text) => JSON.parse(text) as Action) },
    signal: AbortSignal.timeout(10_000),
  });
  const { rights, needs } = (answer ?? {}) as { rights?: readonly unknown[]; needs?: readonly unknown[] };
  return new Map(texts.map((text, i) => [text, rightOf(rights?.[i], needs?.[i])]));
}

function flush(): void {
  const asked = waiting;
  waiting = [];
  for (const batch of batchesOf(new Set(asked.map(({ text }) => text)))) {
    const mine = asked.filter(({ text }) => batch.includes(text));
    askBatch(batch).then(
      (told) => {
        for (const { text, tell } of mine) tell(told.get(text) ?? notTold);
      },
      () => {
        for (const { tell } of mine) tell(notTold);
      },
    );
  }
}

/** The right to one action, asked together with all that are asked for in the same moment. Never rejects. */
export function askRight(action: Action): Promise<RightTo> {
  return new Promise((tell) => {
    if (waiting.length === 0) setTimeout(flush, 0);
    waiting.push({ text: JSON.stringify(action), tell });
  });
}

/** An action, and what its right depends on beside it: who holds, and on which node. */
export interface RightAsked {
  readonly action: Action;
  readonly stamp: string;
}

/** The page's query cache, which whoever asks first makes. */
function useAnswers(): QueryClient {
  const answers = useContext(AnswersContext);
  // One for all who have none would be the server's, and tell one person what another may do.
  if (answers === null) throw new Error('Rights are only asked for below <LiveRoot>.');
  const [cache] = useState(() => {
    answers.cache ??= new QueryClient();
    return answers.cache;
  });
  // So long it hears when the page is looked at again, and asks for what is old by then.
  useEffect(() => {
    cache.mount();
    return () => cache.unmount();
  }, [cache]);
  return cache;
}

/** What is known of a right: `asking` until the first answer, `null` where no right is asked for. */
export type KnownRight = RightTo | 'asking' | null;

/** The right to each, in their order; nothing is asked for while `on` is false. */
export function useRights(asked: readonly RightAsked[], on: boolean): readonly KnownRight[] {
  const answers = useQueries(
    {
      queries: asked.map(({ action, stamp }) => ({
        queryKey: ['rights', JSON.stringify(action), stamp],
        queryFn: () => askRight(action),
        enabled: on,
        staleTime: freshMs,
        refetchInterval: freshMs,
        retry: false as const,
        networkMode: 'always' as const,
      })),
    },
    useAnswers(),
  );
  return answers.map(({ data }) => (on ? (data ?? 'asking') : null));
}
