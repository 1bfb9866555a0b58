/** One source as the operator names it, before there is a backend for it. */
import { ProblemError } from '@/lib/domain/problem';
import type { Source } from '@/lib/domain/source';

export interface SourceSettings extends Source {
  /** What stands in it beside `id` and `title` is its kind's own business. */
  readonly address: URL;
}

/** Throws `invalid` with one sentence for the operator. */
export function refuseSource(detail: string): never {
  throw new ProblemError({ code: 'invalid', detail: `SIGNALBOX_SOURCES: ${detail}` });
}

/** The named parameters of an address. Refuses any other: a misspelt one would be left out in silence. */
export function parametersOf<N extends string>(
  { address, id }: SourceSettings,
  names: readonly N[],
): Readonly<Partial<Record<N, string>>> {
  const given = [...address.searchParams].filter(([name]) => name !== 'id' && name !== 'title');
  const wrong = given.find(([name]) => !(names as readonly string[]).includes(name));
  if (wrong !== undefined) refuseSource(`${id} has ${wrong[0]}, which its kind does not know.`);
  return Object.fromEntries(given) as Partial<Record<N, string>>;
}
