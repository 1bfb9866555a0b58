'use client';
/**
 * The backend's word on the rights to actions, before a button is enabled. The buttons of a page ask together, and
 * again while on show, since rights change without notice. A missing answer is no denial.
 */
import { QueryClient, useQueries } from '@tanstack/react-query';
import { useContext, useEffect, useState } from 'react';
import type { Action } from '@/lib/domain/actions/action';
import type { RightTo } from '@/lib/domain/identity';
import { AnswersContext } from './answers';
import { call } from './call';
import { paths } from './paths';

const freshMs = 30_000;
/** The server takes no more in one request. */
export const rightsMax = 64;
/** A prune names up to 500 semaphores. */
const batchBytesMax = 64 * 1024;

interface PendingRight {
  readonly text: string;
  readonly tell: (right: RightTo) => void;
}
let waiting: PendingRight[] = [];

const unknownRight: RightTo = { right: 'unknown', needs: [] };

function rightOf(right: unknown, needs: unknown): RightTo {
  if (right !== 'yes' && right !== 'no') return unknownRight;
  return { right, needs: Array.isArray(needs) ? needs : [] };
}

/** Batches of distinct actions, in as few requests as the limits allow. */
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
  const requests = waiting;
  waiting = [];
  for (const batch of batchesOf(new Set(requests.map(({ text }) => text)))) {
    const mine = requests.filter(({ text }) => batch.includes(text));
    askBatch(batch).then(
      (answers) => {
        for (const { text, tell } of mine) tell(answers.get(text) ?? unknownRight);
      },
      () => {
        for (const { tell } of mine) tell(unknownRight);
      },
    );
  }
}

/** Questions of the same moment share a request. Never rejects. */
export function askRight(action: Action): Promise<RightTo> {
  return new Promise((resolve) => {
    if (waiting.length === 0) setTimeout(flush, 0);
    waiting.push({ text: JSON.stringify(action), tell: resolve });
  });
}

/** An action with the other inputs of its right: the holder and the node. */
export interface RightAsked {
  readonly action: Action;
  readonly stamp: string;
}

/** The cache of this page, made by the first caller. */
export function useAnswers(): QueryClient {
  const answers = useContext(AnswersContext);
  // A shared default would live in the server, and show one person another's rights.
  if (answers === null) throw new Error('Questions are asked only below <LiveRoot>.');
  const [cache] = useState(() => {
    answers.cache ??= new QueryClient();
    return answers.cache;
  });
  // Mounted, the cache refetches old answers when the page gets the focus.
  useEffect(() => {
    cache.mount();
    return () => cache.unmount();
  }, [cache]);
  return cache;
}

/** `null`: no right is asked for. */
export type KnownRight = RightTo | 'asking' | null;

/** The rights in the order of the requests; asks nothing while `on` is false. */
export function useRights(requests: readonly RightAsked[], on: boolean): readonly KnownRight[] {
  const answers = useQueries(
    {
      queries: requests.map(({ action, stamp }) => ({
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
