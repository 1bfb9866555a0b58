'use client';
/** The clients that a deed hit, by name: afterwards their sessions are gone. */
import { Fragment } from 'react';
import { useAllMessages } from '@/components/dom/locale';
import { actions } from '@/lib/domain/actions/action';
import type { Deed } from '@/lib/domain/actions/deed';
import { type Whom, whomCount, whomIn } from '@/lib/domain/actions/whom';
import { shortId } from '@/lib/domain/model';
import { plain } from '@/lib/i18n/format/format';
import type { AllMessages } from '@/lib/i18n/messages';

/** More do not fit a line. The raw row names more of them, and their number. */
const shownMax = 5;

/** The name, if there is one, and the id, unless the name has it already. */
export function whomText({ session, label }: Pick<Whom, 'session' | 'label'>): string {
  const id = shortId(session);
  if (label === null) return id;
  return label.includes(id) ? label : `${label} ${id}`;
}

/** The name with the id beside it, whole in the title. */
export function WhomName({ whom: { session, label } }: { whom: Pick<Whom, 'session' | 'label'> }) {
  const id = shortId(session);
  if (label === null) return <code title={session}>{id}</code>;
  return (
    <span title={session}>
      <span className="font-medium text-ink">{plain(label)}</span>
      {label.includes(id) ? null : (
        <>
          {' '}
          <code>{id}</code>
        </>
      )}
    </span>
  );
}

/** Empty where nothing was known. */
function howOf({ verdict, node }: Whom, { audit, verdicts }: AllMessages): string {
  // A row may have a verdict of a newer server.
  const known = verdict !== null && Object.hasOwn(verdicts, verdict) ? verdicts[verdict].word : null;
  return audit.whom.how(known, node);
}

/** The parties that the sentence does not name. */
export function HitLine({ deed: { head } }: { deed: Deed }) {
  const m = useAllMessages();
  const whom = whomIn(head.detail);
  const [first, ...others] = whom;
  if (first === undefined) return <MeantLine meant={whomIn(head.detail, 'meant')} />;
  const pattern = patternOf(head.action, first, m);
  const how = others.length === 0 && hitsOf(head.action) !== 'ghosts' ? howOf(first, m) : '';
  if (pattern === null && how === '') return null;
  return (
    <p className="break-words text-ink-dim">
      {pattern === null ? null : (
        <Names
          pattern={pattern}
          whom={whom}
          count={whomCount(head.detail)}
          bare={hitsOf(head.action) === 'session'}
        />
      )}
      {pattern === null || how === '' ? null : ' · '}
      {how}
    </p>
  );
}

/** The action hit no client, because the plan saw another holder. */
function MeantLine({ meant }: { meant: readonly Whom[] }) {
  const { audit } = useAllMessages();
  if (meant.length === 0) return null;
  return (
    <p className="break-words text-ink-dim">
      <Names pattern={audit.whom.meant} whom={meant} count={meant.length} bare={false} />
    </p>
  );
}

const hitsOf = (action: Deed['head']['action']) => (action === null ? null : actions[action].hits);

/** `null`: the sentence above names them. */
function patternOf(action: Deed['head']['action'], first: Whom, { audit }: AllMessages): string | null {
  const hits = hitsOf(action);
  if (hits === 'holder' || hits === 'ghosts') return audit.whom[hits];
  return hits === 'session' && first.label !== null ? audit.whom.session : null;
}

interface NamesProps {
  readonly pattern: string;
  readonly whom: readonly Whom[];
  /** The number in all. */
  readonly count: number;
  /** The sentence above has their ids. */
  readonly bare: boolean;
}

function Names({ pattern, whom, count, bare }: NamesProps) {
  const { audit } = useAllMessages();
  const [before, after] = pattern.split('{whom}');
  const shown = whom.slice(0, shownMax);
  return (
    <>
      {before}
      {shown.map((one, i) => (
        <Fragment key={one.session}>
          {i === 0 ? null : ', '}
          {bare && one.label !== null ? (
            <span className="font-medium text-ink">{plain(one.label)}</span>
          ) : (
            <WhomName whom={one} />
          )}
        </Fragment>
      ))}
      {count > shown.length ? ` ${audit.more(count - shown.length)}` : null}
      {after}
    </>
  );
}
