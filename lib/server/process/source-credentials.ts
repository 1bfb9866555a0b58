/**
 * The credentials of a source, from the files and variables that its address names: `token-file=/path`,
 * `password-env=NAME`. Read once, at the start. Every refusal is one sentence that repeats no secret.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { refuseSource, type SourceCredentials } from '@/lib/domain/seam/source-settings';

type Variables = Readonly<Record<string, string | undefined>>;

interface Named {
  readonly id: string;
  readonly address: URL;
}

const secretLengthMax = 16_384;

function fileOf({ id, address }: Named, name: string): Buffer | null {
  const path = address.searchParams.get(name);
  if (path === null) return null;
  let content: Buffer;
  try {
    content = readFileSync(path);
  } catch {
    return refuseSource(`${name} of ${id} names ${path}, which cannot be read.`);
  }
  return content.length === 0 ? refuseSource(`${name} of ${id} names ${path}, which is empty.`) : content;
}

function variableOf({ id, address }: Named, name: string, env: Variables): string | null {
  const variable = address.searchParams.get(name);
  if (variable === null) return null;
  // The message does not repeat the value. A person who mistakes the parameter for the secret has put it here.
  return env[variable] ?? refuseSource(`${name} of ${id} must be the name of a variable that is set.`);
}

function secretOf(source: Named, kind: 'token' | 'password', env: Variables): string | null {
  const { id, address } = source;
  if (address.searchParams.has(kind))
    refuseSource(
      `${id} must not hold a ${kind}: name its file with ${kind}-file, or its variable with ${kind}-env.`,
    );
  const fromFile = fileOf(source, `${kind}-file`)?.toString('utf8') ?? null;
  const fromVariable = variableOf(source, `${kind}-env`, env);
  if (fromFile !== null && fromVariable !== null)
    refuseSource(`${id} has both ${kind}-file and ${kind}-env; keep one.`);
  const text = fromFile ?? fromVariable;
  if (text === null) return null;
  const secret = text.trim();
  const name = `${kind}-${fromFile === null ? 'env' : 'file'}`;
  if (secret === '') refuseSource(`${name} of ${id} names nothing but space.`);
  if (/\p{Cc}/u.test(secret) || secret.length > secretLengthMax)
    refuseSource(`${name} of ${id} must name one line, the ${kind} alone.`);
  return secret;
}

function isCertificate(pem: Buffer): boolean {
  try {
    return new X509Certificate(pem) !== null;
  } catch {
    return false;
  }
}

/** Checks the pair at the start. A wrong pair would throw at each use, long after it. */
function isPair(cert: Buffer, key: Buffer): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

function tlsOf(source: Named): SourceCredentials['tls'] {
  const { id, address } = source;
  const pem = (name: string, isSound: (pem: Buffer) => boolean, what: string) => {
    const content = fileOf(source, name);
    if (content !== null && !isSound(content)) refuseSource(`${name} of ${id} has no ${what} in PEM.`);
    return content;
  };
  const ca = pem('ca-file', isCertificate, 'certificate');
  const cert = pem('cert-file', isCertificate, 'certificate');
  const isKey = (content: Buffer) => /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(content.toString('latin1'));
  const key = pem('key-file', isKey, 'private key');
  if ((cert === null) !== (key === null))
    refuseSource(`${id} needs both cert-file and key-file, or neither.`);
  if (cert !== null && key !== null && !isPair(cert, key))
    refuseSource(`key-file of ${id} is not the key of its cert-file, or has a passphrase.`);
  const serverName = address.searchParams.get('server-name');
  if (serverName === '') refuseSource(`server-name of ${id} is empty.`);
  return { ca, cert, key, serverName };
}

/**
 * Throws `invalid` for a credential that is missing, empty, in several lines or no PEM, and for a secret in the address
 * itself.
 */
export const credentialsOf = (source: Named, env: Variables): SourceCredentials => ({
  token: secretOf(source, 'token', env),
  password: secretOf(source, 'password', env),
  tls: tlsOf(source),
});
