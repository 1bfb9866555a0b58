/**
 * The document of the API: OpenAPI 3.1, made from the schemas that parse requests and check answers in tests. It is
 * public, and contains no data.
 */

import type { Arrivals } from '@/lib/server/http/arrival';
import type { Limits } from '@/lib/server/http/limits';
import manifest from '@/package.json' with { type: 'json' };
import { componentSchemas, type Json } from './parts';
import { paths } from './paths';

const about = `Locks and semaphores in Consul: who holds them, who waits, and how to free them safely.

Durations end in \`Ms\`; instants are epoch milliseconds and end in \`AtMs\` or \`UntilMs\`. Indexes, flags and session
ids are text. \`null\` means "cannot tell" and is never the same as none or zero. Whatever is said travels as a \`code\`
with \`facts\`, and English for people stands beside it (\`text\`, \`detail\`): programs go by the code.

Within \`/api/v1\` fields and codes may be added; none is taken away or changed. Ignore what you do not know.`;

export function openApi(): Json {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Signalbox',
      version: manifest.version,
      description: about,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url: '/', description: 'This server.' }],
    // Each suffices alone. With access control off in Consul, or with anonymous reading, none is needed.
    security: [{ bearer: [] }, { consulToken: [] }, { cookie: [] }, {}],
    tags: [
      { name: 'read', description: 'What is there. Shows what the caller’s token may read.' },
      {
        name: 'act',
        description: 'What is done. Planned first; every write is conditional on what was seen.',
      },
      { name: 'person', description: 'Who asks.' },
      { name: 'audit', description: 'Who did what.' },
      { name: 'share', description: 'Read-only views for those who have no token.' },
      { name: 'operate', description: 'For those who run the server.' },
    ],
    paths: paths(),
    components: {
      schemas: componentSchemas(),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A Consul ACL token.' },
        consulToken: {
          type: 'apiKey',
          in: 'header',
          name: 'x-consul-token',
          description: 'The same, as Consul’s own API takes it.',
        },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: 'signalbox',
          description:
            'Of a browser that has signed in by `POST /api/v1/session`; over TLS it is named `__Host-signalbox`. No script can read it.',
        },
        metrics: { type: 'http', scheme: 'bearer', description: '`SIGNALBOX_METRICS_TOKEN`.' },
      },
    },
  };
}

let cached: string | null = null;

/** `GET /api/v1/openapi` */
export async function answerOpenApi(
  request: Request,
  { limits, arrivals }: { readonly limits: Limits; readonly arrivals: Arrivals },
): Promise<Response> {
  const { address } = arrivals(request.headers);
  await limits.take('read', { identity: { kind: 'anonymous' }, address });
  cached ??= JSON.stringify(openApi(), null, 2);
  return new Response(cached, {
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache' },
  });
}
