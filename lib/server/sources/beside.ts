/**
 * A source beside the one that people sign in to. Its `access` decides who sees it and who acts on it
 * (docs/decisions/0070). A source that asks for no credentials needs none.
 */
import type { AccessControl } from '@/lib/domain/identity';
import type { World } from '@/lib/domain/model';
import { isProblem, type Problem } from '@/lib/domain/problem';
import type { Backend } from '@/lib/domain/seam/backend';
import type { Provider } from '@/lib/domain/seam/provider';
import type { SourceAccess } from '@/lib/domain/seam/source-settings';
import type { SourceId } from '@/lib/domain/source';
import { type SourceState, unreadSource } from '@/lib/domain/source-state';
import { createFanOut } from './fan-out';
import { createGate, type Gate, nothing } from './gate';
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
  const isReadOnly = access === 'read';
  const watch: Provider['watch'] = (listener, signal) =>
    provider.watch(
      isReadOnly
        ? { ...listener, source: (state) => listener.source({ ...state, readOnly: true }) }
        : listener,
      signal,
    );
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
