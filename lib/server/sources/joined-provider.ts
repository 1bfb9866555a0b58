/** One provider for all sources: what names a source is asked of that source alone. */
import type { Action } from '@/lib/domain/actions/action';
import { sawNothing } from '@/lib/domain/actions/expect';
import { type Right, type RightTo, weakestOf } from '@/lib/domain/identity';
import type { Problem } from '@/lib/domain/problem';
import type { Provider, Readable, SharedWatch } from '@/lib/domain/seam/provider';
import type { SourceId } from '@/lib/domain/source';
import { type Part, watchJoined } from './joined-watch';

/** One source, as one person may see it. */
export interface Member extends Part {
  readonly id: SourceId;
  readonly provider: Provider;
  /** True while the source is shown and takes no action from here. */
  isReadOnly(signal: AbortSignal): Promise<boolean>;
  /** The server's own credential shows the source to people signed in to another one. */
  readonly isLent: boolean;
  /** The source shows each person something else, by a provider of their own. */
  readonly isPersonal: boolean;
  /** The reason why the source refuses questions now; `null`: it allows them. */
  refused(signal: AbortSignal): Promise<Problem | null>;
}

const readOnly: Problem = { code: 'forbidden', why: { code: 'source-read-only', facts: {} } };
const noProbe: Problem = { code: 'invalid', why: { code: 'no-probe', facts: {} } };
/** A source without rights has nothing to deny. */
const allowed: RightTo = { right: 'yes', needs: [] };
const denied: RightTo = { right: 'no', needs: [] };

export function createJoinedProvider({
  first,
  beside,
  shared,
}: {
  readonly first: Member;
  readonly beside: readonly Member[];
  /** Joined watches by the first source's shared one. */
  readonly shared: WeakMap<SharedWatch, SharedWatch>;
}): Provider {
  const members = [first, ...beside];
  const personal = beside.filter(({ isPersonal }) => isPersonal);
  const known = members.map(({ id }) => id).join(', ');
  const of = (source: SourceId): Member | Problem =>
    members.find(({ id }) => id === source) ?? {
      code: 'not-found',
      why: { code: 'no-source', facts: { source, known } },
    };
  /** Asks one source, unless it may not be asked. */
  const withProvider = async <T>(
    source: SourceId,
    signal: AbortSignal,
    ask: (provider: Provider) => Promise<T | Problem>,
  ): Promise<T | Problem> => {
    const member = of(source);
    if (!('provider' in member)) return member;
    const refused = await member.refused(signal);
    if (refused !== null) return refused;
    return (await member.isReadOnly(signal)) ? readOnly : ask(member.provider);
  };
  const sharedWith = (watch: SharedWatch): SharedWatch => {
    const joined = shared.get(watch) ?? {
      id: 'sources',
      watch: (listener, signal) =>
        watchJoined(
          [{ watch: (one, within) => watch.watch(one, within), unread: first.unread }, ...beside],
          listener,
          signal,
        ),
    };
    shared.set(watch, joined);
    return joined;
  };
  const rightsIn = async (
    member: Member,
    actions: readonly Action[],
    signal: AbortSignal,
  ): Promise<readonly RightTo[]> =>
    (await member.isReadOnly(signal))
      ? actions.map(() => denied)
      : ((await member.provider.rights?.(actions, signal)) ?? actions.map(() => allowed));
  const probes = members.some(({ provider }) => provider.probe !== undefined);
  const probe: Provider['probe'] = (lock, signal) =>
    withProvider(lock.source, signal, async (provider) => (await provider.probe?.(lock, signal)) ?? noProbe);
  return {
    id: 'sources',
    watch: (listener, signal) =>
      watchJoined([first, ...beside], listener, signal, (place) => {
        const { shares } = listener;
        // Where only the first source differs between people, only it can find that several see the same.
        if (place > 0 || personal.length > 0 || shares === undefined) return undefined;
        return (watch) => shares(watch === null ? null : sharedWith(watch));
      }),
    plan: (action, signal) =>
      withProvider(action.source, signal, (provider) => provider.plan(action, signal)),
    refuses: (action, expect) => {
      const member = of(action.source);
      return 'provider' in member ? (member.provider.refuses?.(action, expect) ?? null) : member;
    },
    saw: (action, expect) => {
      const member = of(action.source);
      return 'provider' in member ? member.provider.saw(action, expect) : sawNothing;
    },
    apply: (action, expect, signal) =>
      withProvider(action.source, signal, (provider) => provider.apply(action, expect, signal)),
    ...(probes ? { probe } : {}),
    rights: async (actions, signal) => {
      const answers = new Map<Action, RightTo>();
      await Promise.all(
        members.map(async (member) => {
          const own = actions.filter((action) => action.source === member.id);
          const rights = own.length === 0 ? [] : await rightsIn(member, own, signal);
          for (const [i, action] of own.entries()) answers.set(action, rights[i] ?? allowed);
        }),
      );
      return actions.map((action) => answers.get(action) ?? denied);
    },
    readable: async (what, signal): Promise<readonly Right[]> => {
      const answers = new Map<Readable, Right>();
      await Promise.all(
        members.map(async ({ id, provider }) => {
          const own = what.filter(({ source }) => source === id);
          const rights = own.length === 0 ? [] : await provider.readable?.(own, signal);
          for (const [i, one] of own.entries()) answers.set(one, rights?.[i] ?? 'yes');
        }),
      );
      return what.map((one) => answers.get(one) ?? 'no');
    },
    seesSessions: async (source, signal) => {
      const member = of(source);
      return 'provider' in member ? ((await member.provider.seesSessions?.(source, signal)) ?? 'yes') : 'no';
    },
    mayPassOn: (source) => {
      const member = of(source);
      return 'provider' in member && !member.isLent;
    },
    oversees: async (signal) => {
      const all = await Promise.all(
        [first, ...personal].map(async ({ provider }) => (await provider.oversees?.(signal)) ?? 'unknown'),
      );
      return weakestOf(all);
    },
    // The providers of all other sources are everyone's.
    close: () => {
      for (const { provider } of [first, ...personal]) provider.close();
    },
  };
}
