'use client';
/** The page of findings: everything that needs attention, with the button that mends it, the most urgent first. */
import { Fragment, useMemo, useRef, useState } from 'react';
import { useAddress } from '@/components/dom/address';
import { useAllMessages, usePageTitle } from '@/components/dom/locale';
import { ChangesButton } from '@/components/list/changes-button';
import { Chip } from '@/components/list/chip';
import { SourceSelect } from '@/components/list/source-select';
import { holdHandlers, useHoldUnderPointer, useSteadyRows } from '@/components/list/stable-order';
import { useNow } from '@/components/live/clock';
import { EmptyOld } from '@/components/live/empty-old';
import { AsOf, useFreshness } from '@/components/live/freshness';
import { useSight } from '@/components/live/unproven-absence';
import { Empty } from '@/components/ui/empty';
import { Select } from '@/components/ui/select';
import { isOld } from '@/lib/client/freshness';
import { useSnapshotPart } from '@/lib/client/page-data';
import { type Finding, type FindingCode, type Severity, severities } from '@/lib/domain/findings/finding';
import { needOf } from '@/lib/domain/findings/need';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { nameParameter, oneOf, textParameter } from '@/lib/view/url-parameter';
import { useGone } from './gone';
import { FindingGroup, prunableRow } from './group';
import { countBySeverity, type FindingQuery, inOrder, matches } from './order';

const selectFindings = (snapshot: Snapshot) => snapshot.findings;
const selectIsOwn = ({ source }: Snapshot) => source.sight === 'own';
const selectAsOf = (snapshot: Snapshot) => snapshot.asOfMs;

const parameters = {
  severity: oneOf(severities, null),
  code: nameParameter,
  source: nameParameter,
  q: textParameter,
};

export function Findings() {
  const m = useAllMessages();
  const texts = m.findingsPage;
  usePageTitle(texts.title);
  const findings = useSnapshotPart(selectFindings);
  const asOfMs = useSnapshotPart(selectAsOf);
  const freshness = useFreshness();
  const { all: gone, fresh } = useGone(findings, { asOfMs, live: freshness === 'live', nowMs: useNow() });
  const [query, set] = useAddress(parameters);
  const code = query.code !== null && query.code in m.findings ? (query.code as FindingCode) : null;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());

  const { severity, source, q } = query;
  const goneAt = useMemo(() => new Map(gone.map((one) => [one.finding.id, one.atMs])), [gone]);
  const shown = useMemo(
    () =>
      inOrder(
        [...findings, ...fresh.map((one) => one.finding)].filter((finding) =>
          matches(finding, { severity, code, source, q }),
        ),
      ),
    [findings, fresh, severity, code, source, q],
  );
  const steady = useSteadyRows(shown, `${severity} ${code} ${source} ${q}`);
  const list = useRef<HTMLDivElement>(null);
  useHoldUnderPointer(list, steady);
  // This component renders with every tick of the clock. Hundreds of rows must not.
  const groups = useMemo(
    () =>
      groupsOf(
        steady.rows.map(({ row, gone: left, placed }) => ({
          finding: row,
          placed,
          goneAtMs: goneAt.get(row.id) ?? (left ? asOfMs : null),
        })),
      ),
    [steady.rows, goneAt, asOfMs],
  );
  const prunable = useMemo(
    () =>
      groups.flatMap(({ rows }) =>
        rows.flatMap(({ finding, goneAtMs }) => (goneAtMs === null ? (prunableRow(finding) ?? []) : [])),
      ),
    [groups],
  );
  return (
    <>
      <Headline findings={findings} />
      <Filters query={{ severity, code, source, q }} findings={findings} onChange={set} />
      <div
        id="list"
        ref={list}
        tabIndex={-1}
        className="border-line border-t outline-brass -outline-offset-2 focus-visible:outline-2"
        {...holdHandlers(steady)}
      >
        {groups.length === 0 ? <Nothing any={findings.length > 0} /> : null}
        {groups.map(({ key, ...group }, i) => (
          <Fragment key={key}>
            {partOf(group) === partOf(groups[i - 1]) ? null : (
              <h2 className="bg-panel px-4 py-1.5 text-[13px] text-ink-soft sm:px-6">
                {texts.parts[partOf(group) ?? 'attention']}
              </h2>
            )}
            <FindingGroup {...group} prunable={prunable} chosen={chosen} onChoose={setChosen} />
          </Fragment>
        ))}
      </div>
      <ChangesButton changes={steady.changes} onApply={steady.applyNow} />
    </>
  );
}

/** The sentence at the top: the number of findings, or the reason why they are unknown. */
function Headline({ findings }: { findings: readonly Finding[] }) {
  const m = useAllMessages();
  const texts = m.findingsPage;
  const sight = useSight();
  const isOwn = useSnapshotPart(selectIsOwn);
  const counts = countBySeverity(findings);
  return (
    <div className="px-4 pt-6 pb-4 sm:px-6">
      <h1 className="sr-only">{texts.title}</h1>
      <p className="min-h-14 max-w-[70ch] text-balance text-[21px] leading-7 tracking-[-0.01em]">
        <AsOf />
        {sight === 'nothing'
          ? m.sight.nothing
          : texts.sentence(needOf(findings), counts.urgent + counts.warning, counts.notice)}
        {sight === 'hidden-sessions' ? (
          <span className="text-ink-dim">
            {m.joint}
            {isOwn ? m.sight.unjudged : m.sight.withheld}
          </span>
        ) : null}
      </p>
    </div>
  );
}

interface FiltersProps {
  readonly query: FindingQuery;
  readonly findings: readonly Finding[];
  /** Changes the address. `null` removes a parameter from it. */
  readonly onChange: ReturnType<typeof useAddress<typeof parameters>>[1];
}

function Filters({ query: { severity, code, source, q }, findings, onChange }: FiltersProps) {
  const m = useAllMessages();
  const texts = m.findingsPage;
  const counts = countBySeverity(findings);
  // The chosen code stays on offer after its last finding has gone.
  const present = new Set(findings.map((finding) => finding.code));
  const codes = [...[...present].sort(), ...(code === null || present.has(code) ? [] : [code])];
  return (
    <div className="scroll-row flex items-center gap-x-3 gap-y-2 px-4 pb-3 sm:px-6 md:flex-wrap">
      <fieldset className="flex gap-1 md:flex-wrap">
        <legend className="sr-only">{texts.show}</legend>
        <Chip
          text={texts.all}
          count={findings.length}
          on={severity === null}
          urgent={false}
          onClick={() => onChange({ severity: null })}
        />
        {severities.map((one) => (
          <Chip
            key={one}
            text={texts.severities[one].chip}
            count={counts[one]}
            on={severity === one}
            urgent={one === 'urgent' && counts.urgent > 0}
            onClick={() => onChange({ severity: severity === one ? null : one })}
          />
        ))}
      </fieldset>
      <Select
        label={texts.kind}
        value={code ?? ''}
        active={code !== null}
        options={[
          { value: '', text: texts.any },
          ...codes.map((one) => ({ value: one, text: m.findings[one].short })),
        ]}
        onChange={(value) => onChange({ code: value === '' ? null : value })}
      />
      <SourceSelect value={source} onChange={(next) => onChange({ source: next })} />
      <input
        type="search"
        value={q}
        onChange={(event) => onChange({ q: event.target.value === '' ? null : event.target.value })}
        placeholder={texts.search}
        aria-label={texts.search}
        className="h-7 w-56 shrink-0 rounded-[5px] border border-line bg-inset px-2.5 text-[13px] placeholder:text-ink-dim"
      />
    </div>
  );
}

/** Stands in for an empty list, with the reason. `any`: findings exist, and the filters hide them. */
function Nothing({ any }: { any: boolean }) {
  const { findingsPage, shell, sight: words } = useAllMessages();
  const sight = useSight();
  const freshness = useFreshness();
  if (any) return <Empty title={findingsPage.empty.filtered} text={findingsPage.empty.filteredText} />;
  if (freshness === 'catching-up') return <Empty title={shell.loading} />;
  if (isOld(freshness)) return <EmptyOld none={findingsPage.empty.none} />;
  if (sight === 'nothing') return <Empty title={findingsPage.empty.none} text={words.left} />;
  return <Empty title={findingsPage.empty.none} text={findingsPage.empty.noneText} />;
}

/** Consecutive rows of one severity and code. */
interface Group {
  /** Unique on the page. Rows that keep their place may form several groups of one severity and code. */
  readonly key: string;
  readonly severity: Severity;
  readonly code: FindingCode;
  readonly rows: { readonly finding: Finding; readonly goneAtMs: number | null }[];
}

/**
 * `placed`: the finding as it was when it got its place. A row that keeps its place also stays in its group. In another
 * group React would make it again and take its button from under the finger.
 */
function groupsOf(
  rows: readonly { finding: Finding; goneAtMs: number | null; placed: Finding }[],
): readonly Group[] {
  const groups: Group[] = [];
  /** The number of groups so far, for each severity and code. */
  const groupsBefore = new Map<string, number>();
  for (const { placed, ...row } of rows) {
    const { severity, code } = placed;
    const last = groups.at(-1);
    if (last !== undefined && last.severity === severity && last.code === code) {
      last.rows.push(row);
      continue;
    }
    const name = `${severity} ${code}`;
    const nth = groupsBefore.get(name) ?? 0;
    groupsBefore.set(name, nth + 1);
    groups.push({ key: `${name} ${nth}`, severity, code, rows: [row] });
  }
  return groups;
}

/** The part of the list that a group is in; `null` before the first one. */
const partOf = (group: Pick<Group, 'severity'> | undefined) =>
  group === undefined ? null : group.severity === 'notice' ? 'notices' : 'attention';
