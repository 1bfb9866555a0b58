/** `SIGNALBOX_SOURCES`: the lock servers to watch, as addresses with spaces between. */
import { z } from 'zod';
import { refuseSource, type SourceSettings } from '@/lib/domain/seam/source-settings';
import { firstSource, sourceIdPattern } from '@/lib/domain/source';

const sourcesMax = 8;
const titleLengthMax = 40;

const named = z.object({
  id: z.string().regex(sourceIdPattern),
  title: z.string().trim().min(1).max(titleLengthMax),
});

function settingsOf(text: string, place: number): SourceSettings {
  const address = URL.canParse(text) ? new URL(text) : null;
  if (address === null || !/^[a-z][a-z0-9-]*:\/\//.test(text))
    // Not repeated: it may hold a credential.
    return refuseSource(`number ${place + 1} is not an address such as consul://127.0.0.1:8500?id=east.`);
  if (address.username !== '' || address.password !== '')
    return refuseSource(`${address.protocol}// must not hold credentials.`);
  const kind = address.protocol.slice(0, -1);
  const id = address.searchParams.get('id') ?? kind;
  const parsed = named.safeParse({ id, title: address.searchParams.get('title') ?? id });
  if (parsed.success) return { kind, ...parsed.data, address };
  return parsed.error.issues[0]?.path[0] === 'title'
    ? refuseSource(`the title of ${id} must have 1 to ${titleLengthMax} characters.`)
    : refuseSource(
        `the id ${JSON.stringify(id)} must be a letter, then letters, digits or hyphens, at most 32.`,
      );
}

/** The sources that the variable names; none named: Consul by its own variables. Throws `invalid` for a wrong one. */
export function readSources(text: string | undefined): readonly SourceSettings[] {
  const words = (text ?? '').split(/\s+/).filter(Boolean);
  const sources = (words.length === 0 ? [`consul://?id=${firstSource}&title=Consul`] : words).map(settingsOf);
  if (sources.length > sourcesMax) return refuseSource(`at most ${sourcesMax} sources.`);
  const twice = sources.find(({ id }, i) => sources.findIndex((one) => one.id === id) !== i);
  if (twice !== undefined) return refuseSource(`two sources have the id ${twice.id}; give one another id.`);
  return sources;
}
