'use client';
/** Says if the chain of the record is intact, how many rows were verified, and when. */
import { useCallback, useEffect, useState } from 'react';
import { useAllMessages } from '@/components/dom/locale';
import { useNow, useZone } from '@/components/live/clock';
import { Copy } from '@/components/ui/copy';
import { call } from '@/lib/client/call';
import { paths } from '@/lib/client/paths';
import { formatWhen } from '@/lib/i18n/format/format';

interface Chain {
  readonly rows: number;
  readonly brokenAt: number | null;
  readonly head: string | null;
  readonly checkedAtMs: number;
}

type State = { readonly at: 'checking' } | { readonly at: 'failed' } | { readonly at: 'known'; chain: Chain };

async function readChain(signal: AbortSignal): Promise<Chain | null> {
  const reply = await call(paths.api.auditChain(), { method: 'GET', signal }).catch(() => null);
  return reply?.response.ok ? (reply.answer as Chain | null) : null;
}

/** Keeps its height, so that nothing below moves when the answer comes. */
export function ChainLine() {
  const { audit, shell } = useAllMessages();
  const texts = audit.chain;
  const [state, put] = useState<State>({ at: 'checking' });
  const [round, setRound] = useState(0);
  const read = useCallback(async (signal: AbortSignal) => {
    const chain = await readChain(signal);
    if (!signal.aborted) put(chain === null ? { at: 'failed' } : { at: 'known', chain });
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each round reads once more.
  useEffect(() => {
    const controller = new AbortController();
    void read(controller.signal);
    return () => controller.abort();
  }, [read, round]);
  const broken = state.at === 'failed' || (state.at === 'known' && state.chain.brokenAt !== null);
  return (
    <section aria-label={texts.label} className="min-h-20 text-[13px] sm:min-h-14">
      <p role="status" className={broken ? 'font-medium text-danger' : 'text-ink-soft'}>
        {state.at === 'known' ? <Known chain={state.chain} /> : texts[state.at]}
      </p>
      <p className="mt-1 flex flex-wrap items-center gap-x-3 text-[12px] text-ink-dim">
        {state.at === 'known' && state.chain.head !== null ? (
          <span className="inline-flex min-w-0 items-center gap-1" title={texts.headHelp}>
            {/* The words would push the rest onto a line of its own on a narrow screen. */}
            <span className="sr-only min-[25rem]:not-sr-only">{texts.head}</span>
            <code title={state.chain.head}>{state.chain.head.slice(0, 12)}…</code>
            <Copy text={state.chain.head} label={shell.copy.label(texts.head)} done={shell.copy.done} />
          </span>
        ) : null}
        {state.at === 'checking' ? null : (
          <button
            type="button"
            className="rounded-[5px] text-brass-strong underline-offset-3 hover:underline"
            onClick={() => {
              put({ at: 'checking' });
              setRound(round + 1);
            }}
          >
            {texts.again}
          </button>
        )}
      </p>
    </section>
  );
}

function Known({ chain: { rows, brokenAt, checkedAtMs } }: { chain: Chain }) {
  const { chain } = useAllMessages().audit;
  const time = formatWhen(checkedAtMs, useNow(), useZone());
  if (brokenAt !== null) return chain.broken(brokenAt, rows, time);
  return rows === 0 ? chain.empty(time) : chain.whole(rows, time);
}
