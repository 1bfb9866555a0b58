'use client';
/** One session's observed renewals: the last one, its overdue time, and the latest end of the session. */
import { type ReactNode, useCallback } from 'react';
import { useAllMessages } from '@/components/dom/locale';
import { useNow, useZone } from '@/components/live/clock';
import { usePageSource, useSourceState, useSources } from '@/components/live/sources';
import { Fact } from '@/components/ui/section';
import { useSnapshotPart } from '@/lib/client/page-data';
import type { EvidenceCode, Party, Renewal } from '@/lib/domain/model';
import { firstSource } from '@/lib/domain/source';
import type { SourceState } from '@/lib/domain/source-state';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import type { RenewalBasis } from '@/lib/i18n/en/rest/evidence';
import { formatAge, formatRest, formatWhen } from '@/lib/i18n/format/format';

/** The present renewals of one session of the page's source; `null` where none was seen. */
export function useRenewal(sessionId: string): Renewal | null {
  const source = usePageSource();
  const select = useCallback(
    (snapshot: Snapshot) =>
      snapshot.renewals?.find(
        (renewal) => renewal.id === sessionId && (renewal.source ?? firstSource) === source,
      ) ?? null,
    [sessionId, source],
  );
  return useSnapshotPart(select);
}

/** Renewals as a row of `Facts`; nothing for a session without a TTL, which has none. */
export function RenewalFact({ party }: { party: Party }) {
  const m = useAllMessages();
  // The evidence of a session with a TTL always has a fact about renewals.
  const isKnown = party.evidence.some(({ code }) => code.startsWith('renewal'));
  if (!isKnown) return null;
  return (
    <Fact name={m.renewals.fact}>
      <ObservedRenewals party={party} />
    </Fact>
  );
}

const factOf = ({ evidence }: Party, code: EvidenceCode) => evidence.find((fact) => fact.code === code);

/** The reason why renewals prove nothing here, in one line. */
function NotObserved({ party }: { party: Party }) {
  const m = useAllMessages();
  const zone = useZone();
  const nowMs = useNow();
  const fact = factOf(party, 'renewals-elsewhere') ?? factOf(party, 'renewals-not-observed');
  if (fact === undefined) return null;
  const at = fact.atMs === null ? null : formatWhen(fact.atMs, nowMs, zone);
  return <span className="text-ink-dim">{m.evidence[fact.code](fact.detail, at)}</span>;
}

interface Observed {
  readonly lastMs: number;
  readonly fromMs: number;
  readonly endMs: number;
  readonly dueMs: number;
  readonly silent: boolean;
}

/** The instants of a party whose renewals are observed; `null` for any other. */
function useObserved({ sessionId, expiry }: Party): Observed | null {
  const renewal = useRenewal(sessionId);
  const { kind, withinMs, latestMs, lastRenewalMs } = expiry;
  // While renewals are on time, their instants are in the snapshot; once they have stopped, in the party.
  const lastMs = lastRenewalMs ?? renewal?.lastMs ?? null;
  if (kind !== 'observed' || withinMs === null || lastMs === null) return null;
  const fromMs = latestMs === null ? Math.max(lastMs, renewal?.fromMs ?? lastMs) : latestMs - withinMs;
  return {
    lastMs,
    fromMs,
    endMs: fromMs + withinMs,
    dueMs: fromMs + withinMs / 2,
    silent: lastRenewalMs !== null,
  };
}

function basisOf(party: Party, { fromMs, lastMs }: Observed): RenewalBasis {
  if (fromMs <= lastMs) return 'renewal';
  return factOf(party, 'timers-restarted')?.atMs === fromMs ? 'election' : 'gap';
}

/** The page's clock shows whole seconds, so it may be behind a new renewal. */
function useNowAfter(observed: Observed | null): number {
  return Math.max(useNow(), observed?.fromMs ?? 0, observed?.lastMs ?? 0);
}

/** Always two lines, so that nothing moves during the countdown. */
function ObservedRenewals({ party }: { party: Party }) {
  const m = useAllMessages();
  const zone = useZone();
  const observed = useObserved(party);
  const nowMs = useNowAfter(observed);
  if (observed === null) return <NotObserved party={party} />;
  const { renewals: words, units } = m;
  const { lastMs, dueMs, silent } = observed;
  const agents = factOf(party, 'renewal-observed')?.detail ?? '';
  const age = formatAge(lastMs, nowMs, units);
  const due =
    nowMs < dueMs ? words.due(formatRest(dueMs, nowMs, units), basisOf(party, observed)) : words.dueNow;
  return (
    <span className="tabular-nums">
      {silent ? words.last(formatWhen(lastMs, nowMs, zone), age, agents) : words.seen(age, agents)}
      <span className="block text-ink-dim">
        {silent ? words.overdue(formatAge(dueMs, nowMs, units)) : due}
      </span>
    </span>
  );
}

/** The end of a silent session, with its evidence; `fallback` where renewals are not observed. */
export function ObservedEnd({ party, fallback }: { party: Party; fallback: ReactNode }) {
  const m = useAllMessages();
  const zone = useZone();
  const observed = useObserved(party);
  const nowMs = useNowAfter(observed);
  if (observed === null) return fallback;
  const { endMs } = observed;
  if (nowMs >= endMs) return m.renewals.endsNow;
  const basis = basisOf(party, observed);
  return (
    <span className="tabular-nums">
      {m.renewals.ends(formatWhen(endMs, nowMs, zone), formatRest(endMs, nowMs, m.units), basis)}
    </span>
  );
}

/** The agents on which Signalbox looks for renewals, each with its state: of the page's source, or of `all`. */
export function RenewalAgents({ all = false }: { all?: boolean }) {
  const own = useSourceState();
  const sources = useSources();
  const shown = all && sources.length > 0 ? sources.filter(({ renewals }) => renewals.length > 0) : [own];
  return shown.map((source) => (
    <AgentsOf key={source.id} source={source} title={shown.length > 1 ? source.title : null} />
  ));
}

function AgentsOf({ source, title }: { source: SourceState; title: string | null }) {
  const { renewals, joint } = useAllMessages();
  const zone = useZone();
  const nowMs = useNow();
  const { across, datacenter, origin } = source;
  // An agent that names no servers was told to name some.
  const namesNone = source.renewals.every(({ agent, state }) => agent === origin && state !== 'no-servers');
  return (
    <div className="text-[13px]">
      {title === null ? null : <p className="mt-2">{title}</p>}
      <ul className="flex flex-col gap-0.5">
        {source.renewals.map(({ agent, state, sinceMs }) => (
          <li key={agent}>
            <span className="break-all font-mono">{agent}</span>{' '}
            <span className="text-ink-dim">
              {renewals.states[state](sinceMs === null ? null : formatWhen(sinceMs, nowMs, zone))}
            </span>
          </li>
        ))}
      </ul>
      {across === undefined || datacenter === null ? null : (
        <p className="mt-1 max-w-[72ch] text-ink-soft">
          {renewals.across(datacenter, across.from)}
          {namesNone ? `${joint}${renewals.acrossUnseen(datacenter)}` : null}
        </p>
      )}
    </div>
  );
}
