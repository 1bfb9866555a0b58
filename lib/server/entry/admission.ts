/**
 * The entrance to Next and to streams. A request waits for its turn (`turns.ts`), and a client
 * that has used up its processor time is refused before a page or an answer is made. Cheap requests, shared files and
 * health checks pass at once.
 *
 * Writes are never refused here: their own budgets refuse them, with a row in the audit (`refused-action.ts`).
 */
import type { ServerResponse } from 'node:http';
import type { Identity } from '@/lib/domain/identity';
import { worded } from '@/lib/i18n/format/worded';
import { chooseLanguage, languageCookie, languageTags } from '@/lib/i18n/language';
import { languages } from '@/lib/i18n/messages';
import { HttpProblem, problemResponse } from '@/lib/server/http/http';
import { type Asker, clientOf, type Limits } from '@/lib/server/http/limits';
import { methods, methodsOf } from '@/lib/server/http/methods';
import type { Lane, RequestTurn, RequestTurns } from '@/lib/server/http/turns';
import { type CallerRuntime, presentedTokens } from '@/lib/server/identity/caller';
import { credentialName } from '@/lib/server/identity/credentials';
import { readCookie } from '@/lib/server/identity/seal';
import type { Passage } from './request-guard';

export interface DoorOptions extends AskerRuntime {
  readonly limits: Pick<Limits, 'requireLeft' | 'spend'>;
  readonly turns: RequestTurns;
  readonly pass: (request: Request) => Promise<Passage>;
}

/** The events come in either order. After an early disconnect only `close` comes. */
const ends = ['finish', 'close'] as const;
const readMethods = new Set(['GET', 'HEAD']);
const open = new Set(['/healthz', '/readyz', '/favicon.ico', '/signalbox.svg']);
const isFree = (path: string) => open.has(path) || path.startsWith('/_next/static/');
const laneOf = (path: string): Lane =>
  Object.hasOwn(methods, path) || path.startsWith('/api/') ? 'data' : 'page';

export interface Arrived {
  readonly asked: Request;
  readonly path: string;
  readonly response: ServerResponse;
}

const nothingToEnd = () => {};

/**
 * Waits for the turn of a request. Returns the function that ends the turn before the answer is sent, for a stream
 * whose head is sent. `null`: nothing to answer, because the request was refused or its client has left.
 */
export async function takeTurn(arrived: Arrived, options: DoorOptions): Promise<(() => void) | null> {
  const { asked, path, response } = arrived;
  if (isFree(path)) return nothingToEnd;
  const { limits, turns } = options;
  turns.heard();
  const asker = path.startsWith('/embed/')
    ? readerOf(asked.headers, options)
    : await askerOf(asked.headers, options);
  // An address without a route gets the page "not found", which costs the same for any method.
  const writes = !readMethods.has(asked.method) && methodsOf(path)?.includes(asked.method) === true;
  let turn: RequestTurn | null = null;
  const endTurn = () => turn?.end();
  try {
    turn = turns.ask(laneOf(path), clientOf(asker), (ms) => {
      for (const event of ends) response.off(event, endTurn);
      void limits.spend(asker, ms);
    });
    for (const event of ends) response.on(event, endTurn);
    await turn.begun;
    if (!writes) await limits.requireLeft(asker);
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    if (writes) return endTurn;
    endTurn();
    if (!response.destroyed) await turnAway(arrived, error, options);
    return null;
  }
  return response.destroyed ? null : endTurn;
}

async function turnAway(
  { asked, response }: Arrived,
  error: HttpProblem,
  { pass }: Pick<DoorOptions, 'pass'>,
): Promise<void> {
  const { refusal, headers } = await pass(asked);
  const answer = refusal ?? refused(asked, error);
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
  response.writeHead(answer.status, [...answer.headers].flat());
  response.end(await answer.text());
}

/** JSON for programs; for a person's page, a sentence that costs nothing to render. */
function refused({ url, headers }: Request, { problem, httpStatus, headers: more }: HttpProblem): Response {
  const { pathname } = new URL(url);
  if (laneOf(pathname) === 'data') return problemResponse(problem, httpStatus, more);
  const cookie = new RegExp(`(?:^|; *)${languageCookie}=(\\w+)`).exec(headers.get('cookie') ?? '')?.[1];
  const language = chooseLanguage(cookie, headers.get('accept-language'));
  const words = languages[language];
  const text = problem.why == null ? '' : worded(problem.why, words.why);
  const page = `<!doctype html><html lang="${languageTags[language]}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${words.shell.brand}</title><p>${text}</p></html>`;
  return new Response(page, {
    status: httpStatus,
    headers: { ...more, 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  });
}

export type AskerRuntime = Pick<CallerRuntime, 'arrivals' | 'seal' | 'credentials'>;

async function secretOf(
  headers: Headers,
  secure: boolean,
  { seal, credentials }: AskerRuntime,
): Promise<string | null> {
  const confirmed = presentedTokens(headers).find((token) => token !== null && credentials.knows(token));
  if (confirmed !== undefined) return confirmed;
  const cookie = readCookie(headers, secure);
  return cookie === null ? null : ((await seal.open(cookie))?.secret ?? null);
}

export async function askerOf(headers: Headers, runtime: AskerRuntime): Promise<Asker> {
  const { address, secure, person } = runtime.arrivals(headers);
  const secret = await secretOf(headers, secure, runtime);
  const identity: Identity =
    secret !== null
      ? { kind: 'token', id: credentialName(secret), name: '' }
      : person !== null
        ? { kind: 'proxy', name: person }
        : { kind: 'anonymous' };
  return { identity, address };
}

/** Readers of embeds are anonymous: their cookies and headers are never read. */
export const readerOf = (
  headers: Pick<Headers, 'get'>,
  { arrivals }: Pick<AskerRuntime, 'arrivals'>,
): Asker => ({
  identity: { kind: 'anonymous' },
  address: arrivals(headers).address,
});
