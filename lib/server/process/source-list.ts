/**
 * The lock servers to watch, as addresses: in `SIGNALBOX_SOURCES` with spaces between, or in the file of
 * `SIGNALBOX_SOURCES_FILE`, one a line.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ProblemError } from '@/lib/domain/problem';
import { refuseSource, type SourceSettings, sourceAccesses } from '@/lib/domain/seam/source-settings';
import { firstSource, sourceIdPattern } from '@/lib/domain/source';
import { credentialsOf } from './source-credentials';

const sourcesMax = 8;
const titleLengthMax = 40;

const named = z.object({
  id: z.string().regex(sourceIdPattern),
  title: z.string().trim().min(1).max(titleLengthMax),
  access: z.enum(sourceAccesses).nullable(),
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
  const title = address.searchParams.get('title') ?? id;
  const names = named.safeParse({ id, title, access: address.searchParams.get('access') });
  if (names.success)
    return { kind, ...names.data, address, hosts, credentials: credentialsOf({ id, address }, env) };
  const wrong = String(names.error.issues[0]?.path[0]);
  return refuseSource(
    {
      title: `the title of ${id} must have 1 to ${titleLengthMax} characters.`,
      access: `access of ${id} must be ${sourceAccesses.join(', ')}.`,
    }[wrong] ?? `the id ${JSON.stringify(id)} must be a letter, then letters, digits or hyphens, at most 32.`,
  );
}

/** The addresses of a file, one a line. Text behind a `#` at the beginning or after a space is a comment. */
function linesOf(path: string): readonly string[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new ProblemError({
      code: 'invalid',
      detail: `SIGNALBOX_SOURCES_FILE names ${path}, which cannot be read.`,
    });
  }
  const lines = text.split(/\r?\n/).map((line) => line.replace(/(^|\s)#.*$/, '').trim());
  return lines.filter(Boolean);
}

/** `null`: neither the variable nor the file is set. */
function addressesOf(env: Variables): readonly string[] | null {
  const words = (env.SIGNALBOX_SOURCES ?? '').split(/\s+/).filter(Boolean);
  const path = env.SIGNALBOX_SOURCES_FILE ?? '';
  if (path === '') return words.length === 0 ? null : words;
  if (words.length > 0) return refuseSource('SIGNALBOX_SOURCES_FILE is set, too; keep one of them.');
  const lines = linesOf(path);
  return lines.length === 0 ? refuseSource(`the file ${path} names no source.`) : lines;
}

/**
 * The sources of the environment, or Consul by its own variables when none is named. Throws `invalid` for a wrong one.
 */
export function readSources(env: Variables): readonly SourceSettings[] {
  const addresses = addressesOf(env) ?? [`consul://?id=${firstSource}&title=Consul`];
  const sources = addresses.map((text, place) => settingsOf(text, place, env));
  if (sources.length > sourcesMax) return refuseSource(`at most ${sourcesMax} sources.`);
  const twice = sources.find(({ id }, i) => sources.findIndex((one) => one.id === id) !== i);
  if (twice !== undefined) return refuseSource(`two sources have the id ${twice.id}; give one another id.`);
  return sources;
}
