/**
 * Follows one page of a world that is too large for a browser, by asking at intervals.
 *
 *   connecting --answered--> live --no good answer for 8 s, twice--> lost --answered--> live
 *
 * Each answer has a name. While that name is current, the server sends only the time.
 */
import { build as ownBuild } from '@/lib/domain/build';
import { call } from './call';
import type { LiveView } from './live-view';
import { paths } from './paths';
import { serverClock } from './server-clock';

export interface Openings {
  ask(): void;
  end(): void;
}

interface OpeningAnswer<O> {
  readonly name: string;
  readonly build: string;
  readonly atMs: number;
  readonly contactMs: number | null;
  readonly opening: O | null;
}

const restMs = { seen: 2_000, hidden: 15_000 };
/**
 * The rest is at least this multiple of the answer's duration, so that two pages of one person stay within their share
 * of the server (docs/decisions/0054).
 */
const restFactor = 10;
const restMaxMs = 10_000;
const waitMaxMs = 10_000;
const lostMs = 8_000;

const isAnswer = (answer: unknown): answer is OpeningAnswer<never> =>
  typeof answer === 'object' &&
  answer !== null &&
  'name' in answer &&
  'opening' in answer &&
  'atMs' in answer;

/** `address`: the page's current path and query. */
export function followOpenings<O>({
  view,
  address,
  onOpening,
  onOtherBuild,
}: {
  readonly view: Pick<LiveView, 'connection' | 'contact'>;
  readonly address: () => string;
  readonly onOpening: (opening: O) => void;
  readonly onOtherBuild: (build: string) => void;
}): Openings {
  let known = { address: '', name: '' };
  let inFlight: AbortController | null = null;
  let lastBuild: string = ownBuild;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Before the first answer, the page itself came from the server. */
  let lastMessageMs = serverClock.now();
  let failures = 0;
  const onAnswer = ({ atMs, contactMs, build }: OpeningAnswer<O>) => {
    lastMessageMs = atMs;
    failures = 0;
    serverClock.hear(atMs);
    view.contact.set(contactMs);
    if (view.connection.get().state !== 'live') view.connection.set({ state: 'live', sinceMs: atMs });
    if (build === lastBuild) return;
    lastBuild = build;
    if (build !== ownBuild) onOtherBuild(build);
  };
  const failed = () => {
    failures += 1;
    // One failure after a long rest proves little.
    if (failures < 2 || serverClock.now() - lastMessageMs < lostMs) return;
    if (view.connection.get().state === 'lost') return;
    view.connection.set({ state: 'lost', sinceMs: lastMessageMs });
  };
  const turn = async (mine: AbortController) => {
    const requested = address();
    const beganMs = performance.now();
    const timeout = setTimeout(() => mine.abort(), waitMaxMs);
    const since = known.address === requested ? known.name : null;
    const reply = await call(paths.api.opening(requested, since), {
      method: 'GET',
      signal: mine.signal,
    }).catch(() => null);
    clearTimeout(timeout);
    if (inFlight !== mine) return;
    if (reply === null || !reply.response.ok || !isAnswer(reply.answer)) failed();
    else {
      const answer = reply.answer as OpeningAnswer<O>;
      known = { address: requested, name: answer.name };
      if (answer.opening !== null) onOpening(answer.opening);
      onAnswer(answer);
    }
    const pauseMs = document.visibilityState === 'visible' ? restMs.seen : restMs.hidden;
    timer = setTimeout(
      ask,
      Math.max(pauseMs, Math.min(restMaxMs, restFactor * (performance.now() - beganMs))),
    );
  };
  const stop = () => {
    clearTimeout(timer);
    inFlight?.abort();
    inFlight = null;
  };
  const ask = () => {
    stop();
    inFlight = new AbortController();
    void turn(inFlight);
  };
  const seen = () => {
    if (document.visibilityState === 'visible') ask();
  };
  document.addEventListener('visibilitychange', seen);
  window.addEventListener('online', ask);
  ask();
  return {
    ask,
    end: () => {
      stop();
      document.removeEventListener('visibilitychange', seen);
      window.removeEventListener('online', ask);
    },
  };
}
