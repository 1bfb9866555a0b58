/**
 * `GET /readyz`: 200 while what this server shows can be trusted, 503 otherwise, with the state in both.
 *
 * A server without a token of its own, before a Consul that asks for tokens, sees nothing by itself, and everybody sees
 * with a token of their own. It is ready as long as Consul answers.
 */
import type { Runtime } from './runtime';

export async function answerReady(
  runtime: Pick<Runtime, 'viewpoints' | 'backend' | 'accessControl'>,
): Promise<Response> {
  const { state } = runtime.viewpoints.own.hub.snapshot().source;
  const peoplesOwn =
    state !== 'live' && !runtime.backend.hasOwnCredential && (await runtime.accessControl()) === 'on';
  return Response.json(
    { status: peoplesOwn ? 'sign-in' : state },
    { status: state === 'live' || peoplesOwn ? 200 : 503, headers: { 'cache-control': 'no-store' } },
  );
}
