'use client';
/** The sign-in page: the purpose, the token's way, and what there is without one. */
import { useEffect } from 'react';
import { useReplay } from '@/components/dom/event-replay';
import { useMessages } from '@/components/dom/locale';
import { forgetPlaces } from '@/components/dom/visits';
import { tellOtherTabs } from '@/components/live/session-root';
import { Brand } from '@/components/marks/brand';
import { LanguageToggle } from '@/components/marks/language-toggle';
import { ThemeToggle } from '@/components/marks/theme-toggle';
import type { Problem } from '@/lib/domain/problem';
import type { Visitor } from '@/lib/domain/visitor';
import { worded } from '@/lib/i18n/format/worded';
import { nameOf } from '@/lib/view/identity-name';
import { SignInForm } from './sign-in-form';

interface SignInProps {
  /** And what it may see without a token. */
  readonly session: Visitor;
  /** The reason why no page can be shown now; `null`: one can. */
  readonly problem: Problem | null;
  /** The next page: a path of this console. */
  readonly next: string;
  /** The backend's address and datacenter; `null`: not for this visitor. */
  readonly place: { readonly origin: string; readonly datacenter: string | null } | null;
}

const link = 'text-brass-strong underline underline-offset-3';

export function SignIn({ session, problem, next, place }: SignInProps) {
  const m = useMessages();
  useReplay('frame');
  const isNobody = session.identity.kind === 'anonymous';
  // The signed-out page may have gone before it learned of it.
  useEffect(() => {
    if (isNobody) forgetPlaces();
  }, [isNobody]);
  const { shell, identity } = m;
  const { login } = identity;
  const off = session.accessControl === 'off';
  return (
    <div className="mx-auto flex min-h-dvh w-full max-w-[34rem] flex-col gap-6 px-4 py-4 sm:px-6">
      <header className="flex flex-wrap items-center justify-between gap-2">
        <span className="flex items-center gap-2.5 font-semibold tracking-[0.14em]">
          <Brand old={false} />
          <span className="text-[13px] uppercase">{shell.brand}</span>
        </span>
        <span className="flex items-center">
          <LanguageToggle />
          <ThemeToggle />
        </span>
      </header>
      <main className="flex flex-col gap-5 sm:pt-8">
        <div>
          <h1 className="font-medium text-[21px]">{off ? login.off.title : login.title}</h1>
          <p className="mt-1 text-ink-soft">
            {place === null ? (
              login.toUnnamed
            ) : (
              <>
                {login.to(place.datacenter)}{' '}
                <span className="break-all font-mono text-[13px]">{place.origin}</span>
              </>
            )}
          </p>
        </div>
        {problem === null || problem.why?.code === 'sign-in-to-see' ? null : (
          <p
            role="status"
            className="rounded-[5px] border border-line-strong bg-brass-wash px-4 py-3 text-[13px]"
          >
            {problem.why == null ? m.problems[problem.code].title : worded(problem.why, m.why)}
          </p>
        )}
        <Already session={session} next={next} />
        {off ? null : (
          <>
            <SignInForm
              datacenter={place?.datacenter ?? null}
              onSignedIn={() => {
                tellOtherTabs();
                // A whole visit: nothing of an earlier person's page stays in memory.
                window.location.assign(next);
              }}
            />
            <Terms session={session} next={next} />
          </>
        )}
      </main>
    </div>
  );
}

/** The sentence for a signed-in person, with a link to the next page. */
function Already({ session, next }: Pick<SignInProps, 'session' | 'next'>) {
  const m = useMessages();
  const { login } = m.identity;
  const { identity, accessControl } = session;
  const name = nameOf(identity, m);
  if (identity.kind === 'anonymous')
    return accessControl !== 'off' ? null : (
      <p>
        {login.off.text}{' '}
        <a href={next} className={link}>
          {login.off.goOn}
        </a>
      </p>
    );
  return (
    <p>
      {identity.kind === 'proxy' ? login.proxy(name) : login.already(name)}{' '}
      <a href={next} className={link}>
        {login.stay(name)}
      </a>
      {identity.kind === 'token' ? <span className="block text-ink-soft">{login.other}</span> : null}
    </p>
  );
}

function Terms({ session, next }: Pick<SignInProps, 'session' | 'next'>) {
  const { login } = useMessages().identity;
  const open = session.identity.kind === 'anonymous' && session.maySee;
  const without = open ? 'see' : session.accessControl === 'unknown' ? 'unknown' : 'nothing';
  return (
    <dl className="grid gap-x-4 gap-y-3 border-line border-t pt-4 text-[13px]">
      <div>
        <dt className="font-medium">{login.usedTitle}</dt>
        <dd className="text-ink-soft">{login.used}</dd>
      </div>
      <div>
        <dt className="font-medium">{login.keptTitle}</dt>
        <dd className="text-ink-soft">{login.kept}</dd>
      </div>
      {session.identity.kind !== 'anonymous' ? null : (
        <div>
          <dt className="font-medium">{login.withoutTitle}</dt>
          <dd className="text-ink-soft">
            {login.without[without]}{' '}
            {open ? (
              <a href={next} className={link}>
                {login.goOn}
              </a>
            ) : null}
          </dd>
        </div>
      )}
    </dl>
  );
}
