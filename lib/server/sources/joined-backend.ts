/**
 * Several backends as one, so that everything above the seam knows only one. Worlds are merged and states summed up. A
 * call that names a source goes to that source.
 *
 * People sign in to the first source that may ask for credentials. Each other one is shown as its operator sets it, or
 * while it asks for none (`beside.ts`).
 */
import { weakestOf } from '@/lib/domain/identity';
import type { Backend } from '@/lib/domain/seam/backend';
import type { SharedWatch } from '@/lib/domain/seam/provider';
import type { SourceAccess } from '@/lib/domain/seam/source-settings';
import type { SourceId } from '@/lib/domain/source';
import { createBeside, idOf, unreadOf } from './beside';
import { createJoinedProvider } from './joined-provider';

type AccessOf = (source: SourceId) => SourceAccess | null;

/** `backends`: at least one; a single one is returned as it is. `accessOf`: by the id of a source. */
export function joinBackends(
  backends: readonly [Backend, ...Backend[]],
  accessOf: AccessOf = () => null,
): Backend {
  const [only, ...more] = backends;
  if (more.length === 0) return only;
  const first = signInOf(backends);
  const beside = backends
    .filter((one) => one !== first)
    .map((backend) =>
      createBeside({
        backend,
        access: accessOf(idOf(backend)),
        signIn: (signal) => first.accessControl(signal),
      }),
    );
  const personal = beside.filter(({ isPersonal }) => isPersonal).map(({ backend }) => backend);
  /** One joined watch for all people whom the first source shows the same. */
  const shared = new WeakMap<SharedWatch, SharedWatch>();
  return {
    id: 'sources',
    sources: backends.flatMap(({ sources }) => sources),
    origin: backends.map(({ origin }) => origin).join(', '),
    asks: first.asks,
    get hasOwnCredential() {
      return backends.some(({ hasOwnCredential }) => hasOwnCredential);
    },
    get credentialsMax() {
      return Math.min(...[first, ...personal].map(({ credentialsMax }) => credentialsMax));
    },
    get seesAll() {
      return weakestOf([first, ...personal].map(({ seesAll }) => seesAll));
    },
    accessControl: (signal) => first.accessControl(signal),
    signIn: (secret, signal) => first.signIn(secret, signal),
    provider: (secret, from) => {
      const provider = first.provider(secret, from);
      return createJoinedProvider({
        first: {
          id: idOf(first),
          provider,
          watch: (listener, signal) => provider.watch(listener, signal),
          refused: async () => null,
          unread: unreadOf(first),
          isReadOnly: async () => false,
          isLent: false,
          isPersonal: false,
        },
        beside: beside.map((one) => (secret === null ? one.own : one.of(secret, from))),
        shared,
      });
    },
    close: () => {
      for (const one of beside) one.close();
      for (const backend of backends) backend.close();
    },
  };
}

/** The first that may ask for credentials; where none does, the first. */
const signInOf = (backends: readonly [Backend, ...Backend[]]): Backend =>
  backends.find(({ asks }) => asks) ?? backends[0];

/**
 * The reason why these sources cannot be watched together, in one sentence; `null`: they can, as far as they answer.
 * Asked once at the start; `gate.ts` holds afterwards.
 */
export async function togetherRefused(
  backends: readonly [Backend, ...Backend[]],
  signal: AbortSignal,
  accessOf: AccessOf = () => null,
): Promise<string | null> {
  const problemText = (sentence: string) => `SIGNALBOX_SOURCES: ${sentence}`;
  const first = idOf(signInOf(backends));
  if (accessOf(first) !== null)
    return problemText(
      `access= is for sources beside ${first}, the one that people sign in to; leave it out there.`,
    );
  const tokenless = backends.find((one) => !one.asks && accessOf(idOf(one)) === 'token');
  if (tokenless !== undefined)
    return problemText(
      `${idOf(tokenless)} takes no tokens, so access=token says nothing; write read or act.`,
    );
  const withTokens = backends.filter(({ asks }) => asks);
  if (withTokens.length < 2) return null;
  const controls = await Promise.all(withTokens.map((backend) => backend.accessControl(signal)));
  const others = withTokens.filter((one, i) => controls[i] === 'on' && idOf(one) !== first).map(idOf);
  const [behind] = others;
  if (behind !== undefined && controls[0] === 'off')
    return problemText(`${behind} asks for tokens, so it must stand before ${first}.`);
  const undecided = others.filter((id) => accessOf(id) === null);
  return undecided.length > 0 && controls[0] === 'on'
    ? problemText(
        `${first} and ${undecided.join(' and ')} both ask for tokens. People sign in to ${first}: say with access= who sees ${undecided.join(' and ')}, or run one console for each.`,
      )
    : null;
}
