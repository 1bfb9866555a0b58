/**
 * Who makes a request, and from where they look: resolved once for each request, from a sealed cookie (a browser), a
 * bearer token (a program), a trusted proxy's header, or none of these.
 */
import type { Identity } from '@/lib/domain/identity';
import { type ActionsAllowed, mayAct, maySee } from './access';
import { HttpProblem } from './http';
import type { Runtime } from './runtime';
import type { Viewpoint } from './viewpoints';

export interface Caller {
  readonly identity: Identity;
  /** Of the person, as far as it is known. */
  readonly address: string | null;
  /** What proved who they are. A cookie comes with every request of a browser, whoever made the page; a header does not. */
  readonly by: 'cookie' | 'bearer' | 'proxy' | 'nothing';
  readonly viewpoint: Viewpoint;
  readonly writes: ActionsAllowed;
  /** When the sign-in ends by itself, in epoch milliseconds. */
  readonly endsAtMs: number | null;
}

/** Resolves the caller. Throws an `HttpProblem` of code `signed-out` (401) for one who may not look. */
export async function callerOf(_headers: Headers, runtime: Runtime): Promise<Caller> {
  const { env, backend, viewpoints } = runtime;
  const identity: Identity = { kind: 'anonymous' };
  const control = await runtime.accessControl();
  const why = maySee(env, control, identity, backend.hasOwnCredential);
  if (why !== null) throw new HttpProblem({ code: 'signed-out', why }, 401);
  return {
    identity,
    address: null,
    by: 'nothing',
    viewpoint: viewpoints.own,
    writes: mayAct(env, control, identity),
    endsAtMs: null,
  };
}
