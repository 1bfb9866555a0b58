import { headers } from 'next/headers';
import { notFound } from 'next/navigation';
import { EmbedRoot } from '@/components/embed/embed-root';
import { firstOf } from '@/components/embed/first-state';
import { paths, subjectPath } from '@/lib/client/paths';
import { ProblemError } from '@/lib/domain/problem';
import {
  type EmbedView,
  hasHistory,
  type Scope,
  scopeName,
  subjectOfScope,
} from '@/lib/domain/sharing/grant';
import { embedLanguages } from '@/lib/i18n/embed-languages';
import { openEmbed } from '@/lib/server/entry/embed-entry';
import { runtime } from '@/lib/server/runtime';
import { shownBy } from '@/lib/server/sharing/embed-credential';
import { embedLooks } from './looks';
import { Message } from './message';

/** Longest wait of the first paint for the first read of Consul. */
const firstReadMs = 1_500;

export interface EmbedPageProps {
  readonly searchParams: Promise<Readonly<Record<string, string | string[] | undefined>>>;
}

/** `null`: the operator configured no address. */
function consoleUrlOf(scope: Scope, base: URL | null): string | null {
  if (base === null) return null;
  const path =
    scope.view === 'board'
      ? paths.board(scope.prefix === '' ? null : scope.prefix)
      : subjectPath(subjectOfScope(scope));
  return new URL(path, base).href;
}

function queryOf(params: Awaited<EmbedPageProps['searchParams']>): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params))
    for (const one of Array.isArray(value) ? value : [value ?? '']) query.append(name, one);
  return query;
}

/** A reader without scripts sees this rendering and its time. */
export async function EmbedPage({ view, searchParams }: EmbedPageProps & { readonly view: EmbedView }) {
  const [params, all, looks] = await Promise.all([searchParams, headers(), embedLooks()]);
  const present = runtime();
  const opened = await openEmbed(shownBy(queryOf(params)), all, view, present)
    // Throws where all scopes are in use.
    .then((grant) => ({ scope: grant.scope, hub: present.embeds.of(grant).hub }))
    .catch((error: unknown) => {
      if (error instanceof ProblemError) return error.problem;
      throw error;
    });
  if ('code' in opened) {
    if (opened.code === 'not-found') notFound();
    return <Message {...embedLanguages[looks.language].embed.unavailable} />;
  }
  const { scope, hub } = opened;
  await hub.ready(firstReadMs);
  return (
    <EmbedRoot
      view={view}
      name={scopeName(scope)}
      {...firstOf(hub.snapshot())}
      nowMs={Math.floor(present.now() / 1000) * 1000}
      language={looks.language}
      title={looks.title}
      compact={looks.density === 'compact'}
      history={hasHistory(scope)}
      consoleUrl={consoleUrlOf(scope, present.env.url)}
    />
  );
}
