/** One source as the operator names it, before there is a backend for it. */
import { ProblemError } from '@/lib/domain/problem';
import type { Source } from '@/lib/domain/source';

/**
 * The secrets by which Signalbox identifies itself to a source. The address names only their files and variables,
 * because addresses are logged and shown.
 */
export interface SourceCredentials {
  readonly token: string | null;
  readonly password: string | null;
  /** In PEM, as `node:tls` takes it. */
  readonly tls: {
    readonly ca: Uint8Array | null;
    readonly cert: Uint8Array | null;
    readonly key: Uint8Array | null;
    /** The name that the server's certificate must have; `null`: that of its address. */
    readonly serverName: string | null;
  };
}

export const noCredentials: SourceCredentials = {
  token: null,
  password: null,
  tls: { ca: null, cert: null, key: null, serverName: null },
};

/**
 * The people who see a source that asks for credentials, beside the source that they sign in to. `token`: each sees it
 * by the credential of their sign-in. `read`, `act`: everyone who may look here sees it with the server's own
 * credential.
 */
export const sourceAccesses = ['token', 'read', 'act'] as const;
export type SourceAccess = (typeof sourceAccesses)[number];

export interface SourceSettings extends Source {
  /** The address with its first host alone. Parameters beside `id` and `title` depend on its kind. */
  readonly address: URL;
  /** Every `host:port` or `host` of the address, in its order; none where it names none. IPv6 in brackets. */
  readonly hosts: readonly string[];
  /** Read from the files or variables that the address names, by the parameters below. */
  readonly credentials: SourceCredentials;
  /** `null`: not set. */
  readonly access: SourceAccess | null;
}

/** The parameters behind `credentials`, for `parametersOf` of a kind that uses them. */
export const tokenParameters = ['token-file', 'token-env'] as const;
export const passwordParameters = ['user', 'password-file', 'password-env'] as const;
export const tlsParameters = ['ca-file', 'cert-file', 'key-file', 'server-name'] as const;

/** Throws `invalid` with one sentence for the operator. */
export function refuseSource(detail: string): never {
  throw new ProblemError({ code: 'invalid', detail: `SIGNALBOX_SOURCES: ${detail}` });
}

const ofEvery: ReadonlySet<string> = new Set(['id', 'title', 'access']);

/** The named parameters of an address. Refuses any other: a misspelt one would be left out in silence. */
export function parametersOf<N extends string>(
  { address, id }: SourceSettings,
  names: readonly N[],
): Readonly<Partial<Record<N, string>>> {
  const given = [...address.searchParams].filter(([name]) => !ofEvery.has(name));
  const wrong = given.find(([name]) => !(names as readonly string[]).includes(name));
  if (wrong !== undefined) refuseSource(`${id} has ${wrong[0]}, which its kind does not know.`);
  const twice = given.find(([name], i) => given.findIndex(([other]) => other === name) !== i);
  if (twice !== undefined) refuseSource(`${id} has ${twice[0]} twice.`);
  return Object.fromEntries(given) as Partial<Record<N, string>>;
}
