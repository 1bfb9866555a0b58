/**
 * A page names its person with each request (`lib/client/call.ts`). After another person signs in with the same
 * browser, an open page must neither show nor do anything as the new one.
 */
import { type Identity, identityKey } from '@/lib/domain/identity';
import { HttpProblem } from '@/lib/server/http/http';

/** Throws `signed-out` (401) for another person's page. Programs name none. */
export function requireSamePerson(
  { headers, url }: Pick<Request, 'headers' | 'url'>,
  identity: Identity,
): void {
  // An `EventSource` cannot set a header.
  const claimed = headers.get('x-signalbox-as') ?? new URL(url).searchParams.get('as');
  if (claimed === null) return;
  const actual = identityKey(identity);
  if (claimed === actual || claimed === encodeURIComponent(actual)) return;
  throw new HttpProblem({ code: 'signed-out', why: { code: 'somebody-else', facts: {} } }, 401);
}
