/**
 * `GET /embed/v1/history`: the last 24 hours of one lock or semaphore, if the grant includes them, while its maker may
 * read it. Facts of the present that the grant hides stay hidden in the past.
 */
import type { HistoryAnswer } from '@/lib/domain/history/answer';
import type { Hold, Moment, Wait, Who } from '@/lib/domain/history/episode';
import { shortId, subjectId } from '@/lib/domain/model';
import { ProblemError } from '@/lib/domain/problem';
import { hasHistory, historyMs, type Scope, subjectOfScope } from '@/lib/domain/sharing/grant';
import { wasRead } from '@/lib/domain/world/snapshot';
import { notRead } from '@/lib/server/history/answer';
import type { HistoryBook } from '@/lib/server/history/history';
import { within } from '@/lib/server/process/deadline';
import type { EmbedFeeds } from './embed-feeds';
import type { OpenGrant } from './grant-watch';

const firstWorldMs = 3_000;
const rightsMs = 3_000;
/** A page of 24 hours shows no more. */
const rowsMax = 1_000;

interface Shown {
  readonly values: boolean;
  readonly sessions: boolean;
}

/** The rules of the present (`scope-cut.ts`): a label may have been made from a value, or from the session's name. */
function whoShown({ id, name, node, label }: Who, { values, sessions }: Shown): Who {
  if (!sessions) return { id, label: shortId(id), name: null, node: null };
  return { id, name, node, label: values ? label : name || shortId(id) };
}

/** A time that the client wrote is part of a value. The hold itself was seen by `seenMs`. */
const fromShown = (from: Moment, seenMs: number, { values }: Shown): Moment =>
  values || from.basis !== 'value' ? from : { atMs: seenMs, basis: 'at-least' };

const holdShown = (hold: Hold, shown: Shown): Hold => ({
  ...hold,
  who: whoShown(hold.who, shown),
  from: fromShown(hold.from, hold.verdicts[0]?.atMs ?? hold.to?.atMs ?? hold.from.atMs, shown),
  // The actor and the reason stay in the console.
  deed: null,
  verdicts: shown.sessions
    ? hold.verdicts
    : hold.verdicts.map((mark) => (mark.verdict === 'ghost' ? mark : { ...mark, verdict: 'unknown' })),
  delayMs: shown.sessions ? hold.delayMs : null,
  token: null,
});

const waitShown = (wait: Wait, shown: Shown): Wait => ({
  ...wait,
  who: whoShown(wait.who, shown),
  from: fromShown(wait.from, wait.to?.atMs ?? wait.from.atMs, shown),
  deed: null,
});

interface Needs {
  readonly embeds: EmbedFeeds;
  readonly history: Pick<HistoryBook, 'read' | 'since' | 'state'>;
  readonly now: () => number;
}

/**
 * True when the maker may see every session now. The server's own view is complete where the backend asks for no
 * credentials.
 */
async function seesSessions({ scope, maker }: OpenGrant, signal: AbortSignal): Promise<boolean> {
  if (!scope.sessions || maker === null) return scope.sessions;
  const { provider } = maker.viewpoint();
  const sees = await provider.seesSessions?.(scope.source, within(rightsMs, signal)).catch(() => 'unknown');
  return sees === 'yes';
}

type WithHistory = Exclude<Scope, { view: 'board' }>;

export async function answerEmbedHistory(
  request: Request,
  grant: OpenGrant,
  { embeds, history, now }: Needs,
): Promise<Response> {
  const { scope } = grant;
  if (!hasHistory(scope))
    throw new ProblemError({ code: 'not-found', why: { code: 'not-granted', facts: {} } });
  const { hub } = embeds.of(grant);
  await hub.ready(firstWorldMs);
  const { source } = hub.snapshot();
  const toMs = now();
  const range = { fromMs: toMs - historyMs, toMs, limit: rowsMax };
  // False when the maker may not read it now, or their right is unknown.
  const isReadable = wasRead(source) && source.reach === undefined;
  // An empty subject matches no rows, so that only gaps are read.
  const subject = isReadable ? subjectId(subjectOfScope(scope as WithHistory)) : '';
  const read = await history.read({ by: 'subject', subject }, range).catch(notRead);
  const shown = { values: scope.values, sessions: await seesSessions(grant, request.signal) };
  const state = history.state();
  const answer: HistoryAnswer = {
    from: range.fromMs,
    to: toMs,
    keptSinceMs: await history.since().catch(notRead),
    awaySinceMs: state?.awaySinceMs ?? null,
    off: state === null,
    folded: read.hours.length > 0,
    episodes: read.episodes.map((hold) => holdShown(hold, shown)),
    waits: read.waits.map((wait) => waitShown(wait, shown)),
    // Findings are of the whole world, which may be more than is shared.
    findings: [],
    limits: read.limits.map((limit) => ({ ...limit, deed: null })),
    gaps: read.gaps.filter((gap) => gap.source === scope.source),
    hours: read.hours,
    more: read.more,
  };
  return Response.json(answer, { headers: { 'cache-control': 'no-store' } });
}
