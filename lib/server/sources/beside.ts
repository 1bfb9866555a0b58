/**
 * A source beside the one that people sign in to. Its `access` decides who sees it and who acts on it
 * (docs/decisions/0070). A source that asks for no credentials is shown without, and takes no action while people sign in.
 */
import type { AccessControl } from '@/lib/domain/identity';
import type { World } from '@/lib/domain/model';
import { isProblem, type Problem } from '@/lib/domain/problem';
import type { Backend } from '@/lib/domain/seam/backend';
import type { Provider } from '@/lib/domain/seam/provider';
import type { SourceAccess } from '@/lib/domain/seam/source-settings';
import type { SourceId } from '@/lib/domain/source';
import { type SourceState, unreadSource } from '@/lib/domain/source-state';
import { within } from '@/lib/server/process/deadline';
import { createFanOut } from './fan-out';
import { askMs, createGate, type Gate, lookMs, nothing, sleep } from './gate';
import type { Member } from './joined-provider';

export function unreadOf({ sources, origin }: Backend): SourceState {
  const [source] = sources;
  return unreadSource({
    id: source?.id ?? '',
    title: source?.title ?? '',
    provider: source?.kind ?? '',
    origin,
  });
}

export const idOf = ({ sources }: Pick<Backend, 'sources'>): SourceId => sources[0]?.id ?? '';

export interface Beside {
  readonly backend: Backend;
  /** True when each person sees it by the credential of their sign-in. */
  readonly isPersonal: boolean;
  /** The view of the server's own credential, the same for everyone. */
  readonly own: Member;
  /** The member for people signed in with this secret; close its provider. The same as `own` unless personal. */
  of(secret: string, from?: () => string): Member;
  close(): void;
}

const notHere: Problem = { code: 'forbidden', why: { code: 'token-not-of-source', facts: {} } };

/** A token that this source does not know must not end the sign-in to another source. */
const notSignedOut = <T>(answer: T | Problem): T | Problem =>
  isProblem(answer) && answer.code === 'signed-out' ? notHere : answer;

/**
 * Watches with a person's own token. The rows go when the source no longer knows the token, and come back with it. The
 * view is not reported as shared.
 */
function watchPersonal(watch: Provider['watch']): Provider['watch'] {
  return ({ world, renewals, source, contact }, signal) => {
    let isOut = false;
    let last: { readonly of: World; readonly asOfMs: number } | null = null;
    return watch(
      {
        world: (of, asOfMs) => {
          last = { of, asOfMs };
          return isOut ? undefined : world(of, asOfMs);
        },
        renewals: (of, asOfMs) => {
          if (!isOut) renewals?.(of, asOfMs);
        },
        source: (state) => {
          const wasOut = isOut;
          isOut = state.problem?.code === 'signed-out';
          source(isOut ? { ...state, state: 'down', problem: notHere } : state);
          if (isOut && !wasOut) void world(nothing, Date.now());
          if (wasOut && !isOut && last !== null) void world(last.of, last.asOfMs);
        },
        ...(contact === undefined ? {} : { contact }),
      },
      signal,
    );
  };
}

/** One person's own view of a source that they did not sign in to. */
function personal(provider: Provider): Provider {
  const { probe } = provider;
  return {
    ...provider,
    watch: watchPersonal((listener, signal) => provider.watch(listener, signal)),
    plan: async (action, signal) => notSignedOut(await provider.plan(action, signal)),
    apply: async (action, expect, signal) => notSignedOut(await provider.apply(action, expect, signal)),
    ...(probe === undefined
      ? {}
      : { probe: async (lock, signal) => notSignedOut(await probe(lock, signal)) }),
  };
}

/**
 * Where people sign in to one source, nothing tells what they may do on another that never asked them. Without
 * `access` such a source is shown and takes no action. An outage changes nothing that was known.
 */
function createReadOnly(
  access: SourceAccess | null,
  signIn: (signal: AbortSignal) => Promise<AccessControl>,
): (signal: AbortSignal) => Promise<boolean> {
  if (access !== null) return async () => access === 'read';
  let known: AccessControl = 'unknown';
  return async (signal) => {
    const control = await signIn(within(askMs, signal));
    if (control !== 'unknown') known = control;
    return known !== 'off';
  };
}

/** Marks each state of a source that takes no action here, and reports the last one again when that changes. */
function watchMarked(watch: Provider['watch'], isReadOnly: (signal: AbortSignal) => Promise<boolean>) {
  const marked: Provider['watch'] = async (listener, signal) => {
    let last: SourceState | null = null;
    let readOnly = true;
    const tell = (state: SourceState) => {
      last = state;
      listener.source(readOnly ? { ...state, readOnly: true } : state);
    };
    const ends = new AbortController();
    const following = AbortSignal.any([signal, ends.signal]);
    const look = async () => {
      while (!following.aborted) {
        const is = await isReadOnly(following);
        if (!following.aborted && is !== readOnly) {
          readOnly = is;
          if (last !== null) tell(last);
        }
        await sleep(lookMs.known, following);
      }
    };
    const looks = look();
    try {
      await watch({ ...listener, source: tell }, signal);
    } finally {
      ends.abort();
      await looks;
    }
  };
  return marked;
}

/** `signIn`: whether the source that people sign in to asks for credentials now. */
export function createBeside({
  backend,
  access,
  signIn,
}: {
  readonly backend: Backend;
  readonly access: SourceAccess | null;
  readonly signIn: (signal: AbortSignal) => Promise<AccessControl>;
}): Beside {
  const provider = backend.provider(null);
  const unread = unreadOf(backend);
  const isReadOnly = createReadOnly(access, signIn);
  const plain: Provider['watch'] = (listener, signal) => provider.watch(listener, signal);
  const watch = access === null || access === 'read' ? watchMarked(plain, isReadOnly) : plain;
  const open: Gate = { watch, refused: async () => null };
  const gate = backend.asks
    ? createGate({ backend, watch, unread, signIn: access === null ? null : signIn })
    : open;
  const own: Member = {
    id: idOf(backend),
    provider,
    unread,
    isReadOnly,
    isLent: backend.asks && (access === 'read' || access === 'act'),
    isPersonal: false,
    // One gate and one watch serve everyone, because their decisions are the same for all.
    watch: createFanOut(gate.watch),
    refused: gate.refused,
  };
  const isPersonal = access === 'token';
  return {
    backend,
    isPersonal,
    own,
    of: (secret, from) => {
      if (!isPersonal) return own;
      const personalProvider = personal(backend.provider(secret, from));
      return {
        ...own,
        isPersonal,
        provider: personalProvider,
        watch: (listener, signal) => personalProvider.watch(listener, signal),
        refused: async () => null,
      };
    },
    close: () => provider.close(),
  };
}
