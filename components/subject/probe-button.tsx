'use client';
/**
 * Asks Consul once whether it refuses a lock right now. The page explains the effect before the press, and the button
 * rests for a few seconds, so that it is not used to poll.
 */
import { useEffect, useId, useRef, useState } from 'react';
import { useActionContext } from '@/components/actions/action-context';
import { useAllMessages } from '@/components/dom/locale';
import { useZone } from '@/components/live/clock';
import { useFreshness } from '@/components/live/freshness';
import { useFrozen } from '@/components/live/frozen';
import { useSessionState } from '@/components/live/session-root';
import { useSourceState } from '@/components/live/sources';
import { Button } from '@/components/ui/button';
import { askProbe } from '@/lib/client/probe';
import { isProblem, type Problem } from '@/lib/domain/problem';
import type { Probed } from '@/lib/domain/seam/probe';
import type { LockRef } from '@/lib/domain/subject';
import { formatTime } from '@/lib/i18n/format/format';
import { blockedReason } from '@/lib/view/actions/blocked-reason';

/** Longer than the server's own rest, so that a second press is not refused by it. */
const restMs = 4_000;

type State = 'ready' | 'asking' | 'resting';

export function ProbeButton({ of: lock }: { of: LockRef }) {
  const m = useAllMessages();
  const { probe } = m.delay;
  const { actionsOff } = useActionContext();
  const freshness = useFreshness(lock.source);
  const { readOnly } = useSourceState(lock.source);
  const frozen = useFrozen() !== null;
  const [state, setState] = useState<State>('ready');
  const [answer, setAnswer] = useState<Probed | Problem | null>(null);
  const gone = useRef(new AbortController());
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const explainId = useId();
  const reasonId = useId();
  useEffect(() => {
    const controller = new AbortController();
    gone.current = controller;
    return () => {
      controller.abort();
      clearTimeout(timer.current);
    };
  }, []);

  // A block on actions also blocks this.
  const offReason = blockedReason(
    { permission: { allowed: true }, freshness, actionsOff, frozen, readOnly },
    m,
  );
  const reason = offReason ?? (state === 'asking' ? probe.asking : state === 'resting' ? probe.again : null);
  const ask = () => {
    const { signal } = gone.current;
    setState('asking');
    askProbe(lock, signal).then(
      (result) => {
        setAnswer(result);
        setState('resting');
        timer.current = setTimeout(() => setState('ready'), restMs);
      },
      // Rejects only when this page is left.
      () => {},
    );
  };
  return (
    <div className="flex flex-col items-start gap-2 rounded-[5px] border border-line bg-inset px-3 py-3">
      <p id={explainId} className="text-[12px] text-ink-soft leading-5">
        {probe.explain}
      </p>
      <div className="flex min-h-8 flex-wrap items-center gap-x-4 gap-y-1">
        <Button
          aria-disabled={reason === null ? undefined : true}
          aria-describedby={reason === null ? explainId : reasonId}
          onClick={() => {
            if (reason === null) ask();
          }}
        >
          {probe.button}
        </Button>
        {reason === null ? null : (
          <span id={reasonId} className={offReason === null ? 'sr-only' : 'text-[12px] text-ink-dim'}>
            {reason}
          </span>
        )}
        <p role="status" className="font-medium text-ink">
          {answer === null ? '' : <Answer of={answer} />}
        </p>
      </div>
    </div>
  );
}

function Answer({ of }: { of: Probed | Problem }) {
  const { delay, problems } = useAllMessages();
  const zone = useZone();
  const state = useSessionState();
  if (!isProblem(of)) return delay.probe.answers[of.answer](formatTime(of.atMs, zone));
  return delay.probe.failed(
    of.code === 'forbidden' && of.why?.code === 'token-refused'
      ? // Consul was asked with the visitor's own token where they signed in with one.
        delay.probe.notAllowed[
          state.at === 'in' && state.session.identity.kind === 'token' ? 'own' : 'server'
        ]
      : problems[of.code].title,
  );
}
