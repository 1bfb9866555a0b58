'use client';
/** What came of a deed: why it was refused, or what was seen to follow, each with its time. */
import { Time } from '@/components/clock';
import { useMessages } from '@/components/locale';
import type { Json } from '@/lib/domain/audit';
import { type Deed, detailList, problemOf } from '@/lib/domain/deed';
import type { Messages } from '@/lib/words/messages';
import { worded } from '@/lib/words/spoken';

interface Seen {
  readonly text: string;
  readonly atMs: number | null;
}

/** A step of `followed` in words; `null` for one that this page has no words for: the row itself shows it. */
function stepWords(step: Json, handedOver: boolean, { action: { follow } }: Messages): Seen | null {
  if (typeof step !== 'object' || step === null || Array.isArray(step)) return null;
  const { code, who: name, node, atMs } = step as { readonly [key: string]: Json };
  const label = typeof name === 'string' ? name : '';
  const who = typeof node === 'string' ? `${label} (${node})` : label;
  const said = (text: string): Seen => ({ text, atMs: typeof atMs === 'number' ? atMs : null });
  switch (code) {
    case 'gone':
      return said(follow.gone(label));
    case 'slot-free':
      return said(follow.slotFree);
    case 'lock-free':
      return said(follow.lockFree);
    case 'delayed':
      return said(follow.delayed);
    case 'delay-over':
      return said(follow.delayOver);
    case 'taken':
      return said(handedOver ? follow.handedOver(who) : follow.taken(who));
    case 'retaken':
      return said(follow.retaken(who));
    case 'limit':
      return said(follow.limit(Number(name)));
    case 'session-gone':
      return said(follow.sessionGone);
    case 'entry-gone':
      return said(follow.entryGone);
    default:
      return null;
  }
}

export function ComeOf({ deed }: { deed: Deed }) {
  const m = useMessages();
  const { rest, head } = deed;
  const problem = problemOf(deed);
  const followed = rest.find(({ kind }) => kind === 'followed');
  const steps = detailList(followed?.detail ?? {}, 'steps').flatMap(
    (step) => stepWords(step, head.detail.how === 'hand-over', m) ?? [],
  );
  const ended = deed.state === 'unknown' && problem === null && rest.some(({ kind }) => kind === 'unknown');
  if (problem === null && steps.length === 0 && !ended) return null;
  return (
    <div className="text-[13px] text-ink-soft">
      {ended ? <p>{m.audit.serverEnded}</p> : null}
      {problem === null ? null : (
        <p className="break-words">
          {problem.why == null ? m.problems[problem.code].title : worded(problem.why, m.why)}
        </p>
      )}
      {steps.length === 0 ? null : (
        <ol aria-label={m.audit.kinds.followed}>
          {steps.map(({ text, atMs }) => (
            <li key={`${text} ${atMs}`} className="break-words">
              {atMs === null ? null : (
                <span className="text-ink-dim">
                  <Time atMs={atMs} />{' '}
                </span>
              )}
              {text}
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
