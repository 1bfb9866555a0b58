/**
 * `GET /readyz`: 200 while what this server shows can be trusted, 503 otherwise, with the state in both.
 *
 * A server without a token of its own, before a Consul that asks for tokens, sees nothing by itself, and everybody sees
 * with a token of their own. It is ready as long as Consul answers.
 *
 * A watch that has missed nothing and is a few seconds behind (a busy world, a thin line) says so on every screen, and is ready
 * all the same: its replicas see the same Consul, and would all leave their balancer together.
 */
import type { Runtime } from '@/lib/server/runtime';

export async function answerReady(
  runtime: Pick<Runtime, 'viewpoints' | 'backend' | 'accessControl'>,
): Promise<Response> {
  const { state, endsSeenSinceMs } = runtime.viewpoints.own.hub.snapshot().source;
  const followed = state === 'live' || (state === 'catching-up' && endsSeenSinceMs !== null);
  const peoplesOwn =
    !followed && !runtime.backend.hasOwnCredential && (await runtime.accessControl()) === 'on';
  return Response.json(
    { status: peoplesOwn ? 'sign-in' : state },
    { status: followed || peoplesOwn ? 200 : 503, headers: { 'cache-control': 'no-store' } },
  );
}
