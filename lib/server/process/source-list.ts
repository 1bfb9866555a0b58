/** `SIGNALBOX_SOURCES`: the lock servers to watch, as addresses with spaces between. */
import { z } from 'zod';
import { refuseSource, type SourceSettings } from '@/lib/domain/seam/source-settings';
import { firstSource, sourceIdPattern } from '@/lib/domain/source';
import { credentialsOf } from './source-credentials';

const sourcesMax = 8;
const titleLengthMax = 40;

const named = z.object({
  id: z.string().regex(sourceIdPattern),
  title: z.string().trim().min(1).max(titleLengthMax),
});

type Variables = Readonly<Record<string, string | undefined>>;

/** Several hosts are one server's, as in `zookeeper://h1:2181,h2:2181/`; a URL has one. */
function addressOf(text: string): Pick<SourceSettings, 'address' | 'hosts'> | null {
  const [, scheme = '', authority = '', rest = ''] = /^([a-z][a-z0-9-]*:\/\/)([^/?#]*)(.*)$/.exec(text) ?? [];
  const hosts = authority === '' ? [] : authority.split(',');
  const urls = (hosts.length === 0 ? [''] : hosts).map((host) => `${scheme}${host}${rest}`);
  const [first] = urls;
  if (scheme === '' || first === undefined || !urls.every((url) => URL.canParse(url)) || hosts.includes(''))
    return null;
  return { address: new URL(first), hosts };
}

function settingsOf(text: string, place: number, env: Variables): SourceSettings {
  const parsed = addressOf(text);
  if (parsed === null)
    // Not repeated: it may hold a credential.
    return refuseSource(`number ${place + 1} is not an address such as consul://127.0.0.1:8500?id=east.`);
  const { address, hosts } = parsed;
  if (hosts.some((host) => host.includes('@')))
    return refuseSource(`${address.protocol}// must not hold credentials.`);
  if (address.hash !== '') return refuseSource(`${address.protocol}// must not hold a #; write %23.`);
  const kind = address.protocol.slice(0, -1);
  const id = address.searchParams.get('id') ?? kind;
  const names = named.safeParse({ id, title: address.searchParams.get('title') ?? id });
  if (names.success)
    return { kind, ...names.data, address, hosts, credentials: credentialsOf({ id, address }, env) };
  return names.error.issues[0]?.path[0] === 'title'
    ? refuseSource(`the title of ${id} must have 1 to ${titleLengthMax} characters.`)
    : refuseSource(
        `the id ${JSON.stringify(id)} must be a letter, then letters, digits or hyphens, at most 32.`,
      );
}

/**
 * The sources that the variable names; none named: Consul by its own variables. `env`: where their credentials may be.
 * Throws `invalid` for a wrong one.
 */
export function readSources(text: string | undefined, env: Variables): readonly SourceSettings[] {
  const words = (text ?? '').split(/\s+/).filter(Boolean);
  const sources = (words.length === 0 ? [`consul://?id=${firstSource}&title=Consul`] : words).map(
    (word, place) => settingsOf(word, place, env),
  );
  if (sources.length > sourcesMax) return refuseSource(`at most ${sourcesMax} sources.`);
  const twice = sources.find(({ id }, i) => sources.findIndex((one) => one.id === id) !== i);
  if (twice !== undefined) return refuseSource(`two sources have the id ${twice.id}; give one another id.`);
  return sources;
}
