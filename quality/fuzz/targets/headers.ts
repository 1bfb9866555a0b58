/** Headers and addresses of requests: names of hosts, origins, proxies, languages, and the address after sign-in. */
import { constants, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { pathAfterSignIn } from '@/lib/client/paths';
import { ProblemError } from '@/lib/domain/problem';
import { chooseLanguage } from '@/lib/i18n/language';
import { parseDurationMs } from '@/lib/providers/consul/client/duration';
import { renewedSession } from '@/lib/providers/consul/renewals/monitor-line';
import { createArrivals } from '@/lib/server/http/arrival';
import { answersTo } from '@/lib/server/http/host';
import { requireSameOrigin, requireSoundAddress, requireWriter } from '@/lib/server/http/http';
import { networkOf } from '@/lib/server/http/limits';
import { methodsOf } from '@/lib/server/http/methods';
import { contentPolicy } from '@/lib/server/http/policy';
import { requireSamePerson } from '@/lib/server/identity/person';
import { createDiscreet } from '@/lib/server/process/scrub';
import { encode, encodingFor, inBothFirst } from '@/lib/server/stream/encoding';
import { readEventId } from '@/lib/server/stream/sse';
import { anyText, mutatedText } from '@/quality/fuzz/bytes';
import { claim, target } from '@/quality/fuzz/target';

const hosts = [
  '127.0.0.1:3000',
  'localhost',
  '[::1]:3000',
  'locks.example',
  'evil.example',
  'localhost.evil.example',
];
const host = fc.oneof(mutatedText(hosts), anyText);
const origins = ['http://127.0.0.1:3000', 'https://locks.example', 'https://evil.example', 'null', 'file://'];
const hops = [
  '10.0.0.1',
  '1.2.3.4:55',
  '[::1]:3',
  '::ffff:10.0.0.1',
  'unknown',
  '1.2.3.4, 10.0.0.1',
  '',
  '_x',
];
const arrivals = createArrivals({
  proxy: { addresses: ['10.0.0.0/8', '::1'], header: 'x-user' },
  url: null,
});

/** Headers as they come through Node: one line of Latin-1, or none. */
const line = (text: fc.Arbitrary<string>) =>
  fc.option(
    text.map((any) => any.replace(/[^\u0020-\u00ff]/g, '')),
    { nil: null },
  );

const headers = fc.record({
  host: line(host),
  origin: line(fc.oneof(mutatedText(origins), anyText)),
  'sec-fetch-site': line(fc.constantFrom('same-origin', 'none', 'cross-site', 'x')),
  'sec-fetch-mode': line(fc.constantFrom('navigate', 'cors', '')),
  'sec-fetch-dest': line(fc.constantFrom('document', 'iframe', '')),
  'x-forwarded-for': line(fc.oneof(mutatedText(hops), anyText)),
  'x-forwarded-proto': line(fc.oneof(fc.constantFrom('https', 'http, https'), anyText)),
  'x-user': line(anyText),
  'x-signalbox-as': line(anyText),
  'accept-language': line(fc.oneof(mutatedText(['zh-CN,zh;q=0.9,en;q=0.8', 'en']), anyText)),
  authorization: line(fc.oneof(mutatedText(['Bearer x', 'Basic eDp5']), anyText)),
});

function refusing(run: () => unknown): boolean {
  try {
    run();
    return false;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return true;
  }
}

const env = { url: new URL('https://locks.example'), loopback: true };

/** A reader's part of a gzip stream that has not ended. */
const unpacked = (stream: Uint8Array) =>
  gunzipSync(stream, { finishFlush: constants.Z_SYNC_FLUSH }).toString();

export const headerTargets = [
  target({
    name: 'headers',
    guarantee: 'No header makes an error or passes a guard: another host or site is always refused.',
    inputs: fc.tuple(headers, fc.constantFrom('GET', 'POST', 'HEAD')),
    check: ([given, method]) => {
      const has = new Headers(
        Object.entries(given).flatMap(([name, of]) => (of === null ? [] : [[name, of] as [string, string]])),
      );
      const request = { headers: has, method, url: 'http://127.0.0.1:3000/api/v1/snapshot' };
      const named = has.get('host');
      const ours =
        named !== null &&
        (/^(localhost|([\w-]+\.)+localhost|127(\.\d{1,3}){3}|\[::1\]|locks\.example)(:\d*)?$/i.test(named) ||
          // Another spelling of a numeric address is the same machine, and a browser would normalise it.
          /^[\dx.a-f]+(:\d*)?$/i.test(named) ||
          /^\[[\d:.a-f]+\](:\d*)?$/i.test(named));
      if (!ours) claim(!answersTo(named, env), `answers to ${named}`);
      refusing(() => requireSoundAddress(request, env));
      const crossed = has.get('sec-fetch-site') === 'cross-site' && method === 'POST';
      claim(!crossed || refusing(() => requireSameOrigin(request, env)), 'a write from another site');
      refusing(() => requireSameOrigin(request, env));
      refusing(() =>
        requireWriter(request, { writes: { allowed: true, hosts: 'loopback' } as never, address: null }),
      );
      refusing(() => requireSamePerson(request, { kind: 'anonymous' }));
      const { person, address } = arrivals(has);
      claim(person === null || (person.length <= 128 && !/\p{C}/u.test(person)), 'a person who is no line');
      networkOf(address);
      networkOf(has.get('x-forwarded-for'));
      chooseLanguage(undefined, has.get('accept-language'));
    },
    share: 0.5,
  }),
  target({
    name: 'encodings',
    guarantee: 'A stream is gzip for clients that accept it, plain for others, with the same events in both.',
    inputs: fc.tuple(
      line(fc.oneof(mutatedText(['gzip, deflate, br', 'br;q=1, gzip;q=0', 'x-gzip;q=0.5', '*']), anyText)),
      fc.array(anyText, { maxLength: 5 }),
    ),
    check: async ([accepted, texts]) => {
      const encoding = encodingFor(accepted);
      claim(encoding === 'identity' || /gzip/i.test(accepted ?? ''), 'gzip for one who does not name it');
      const [first, ...more] = ['retry: 1000\n\n', ...texts].map((text) => Buffer.from(text));
      const pieces = [inBothFirst(first ?? Buffer.of()).gzip];
      for (const event of more) pieces.push(await encode(event, 'gzip'));
      const said = Buffer.concat([first ?? Buffer.of(), ...more]).toString();
      claim(unpacked(Buffer.concat(pieces)) === said, 'other events in gzip');
    },
    share: 0.3,
  }),
  target({
    name: 'addresses',
    guarantee:
      'No address leads elsewhere after signing in, and no detour lets a source into the content policy.',
    inputs: fc.oneof(
      mutatedText([
        '/lock?key=a',
        '//evil.example',
        '/\\evil.example',
        '/.//evil',
        '/login',
        '/%2F/evil',
        "'self' https://a",
      ]),
      anyText,
    ),
    check: (text) => {
      const path = pathAfterSignIn(text);
      const { origin } = new URL(path, 'http://here.example');
      claim(origin === 'http://here.example' && path.startsWith('/'), `leads to ${path}`);
      const policy = contentPolicy({ nonce: 'x', development: false, ancestors: text });
      claim(policy.split(';').length === 12, `another directive: ${policy.slice(-80)}`);
      claim(!/[\r\n]/.test(policy), 'a policy of two lines');
      methodsOf(text);
      readEventId('i', text);
      parseDurationMs(text);
      renewedSession(text);
    },
  }),
  target({
    name: 'scrubbing',
    guarantee: 'A token is removed from any text that holds it.',
    inputs: fc.tuple(anyText, anyText, fc.constantFrom('plain', 'percent')),
    check: ([before, after, how]) => {
      const secret = '3f9a1c04-7d4e-4b1e-9f5e-1a2b3c4d5e6f';
      const text = before + (how === 'plain' ? secret : encodeURIComponent(secret)) + after;
      const kept = createDiscreet([secret])({ reason: text }) as { reason: string };
      claim(!kept.reason.includes(secret), 'the token is still there');
    },
  }),
];
