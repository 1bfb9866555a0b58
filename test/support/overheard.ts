/** A client's requests through a proxy and their answers: one connection, HTTP/1.1, a request at a time. */

/** One request that writes. */
export interface WriteCall {
  /** `PUT /v1/kv/a?cas=1`. */
  readonly line: string;
  /** Head and body, as far as they came. */
  readonly text: string;
  /** The status of the server, or of the stand-in; `null`: none, so far. */
  readonly status: number | null;
  /** Whether the client was given the answer as it was. */
  readonly told: boolean;
}

/**
 * Requests begin a piece: a client writes the head of one at a time. The question about a token's rights is a POST, and
 * writes nothing.
 */
const writeLine = /^(?:PUT|POST|DELETE) (?!\/v1\/internal\/acl\/authorize)\S+/;
const readLine = /^(?:GET|HEAD|POST) \S+ HTTP/;
const statusLine = /^HTTP\/1\.1 (\d{3})/;

const beginning = (piece: Buffer) => piece.toString('latin1', 0, 4096);

/** The line of the write that begins with this piece; `null` for anything else. */
export const writeLineOf = (piece: Buffer): string | null => writeLine.exec(beginning(piece))?.[0] ?? null;

type Noted = { -readonly [K in keyof WriteCall]: WriteCall[K] };

/** Listens to one connection, and adds its writes to `calls`. */
export function overhear(calls: WriteCall[]) {
  let current: Noted | null = null;
  return {
    asked: (piece: Buffer): void => {
      const line = writeLineOf(piece);
      if (line !== null) {
        current = { line, text: piece.toString('utf8'), status: null, told: false };
        calls.push(current);
      } else if (readLine.test(beginning(piece))) current = null;
      else if (current !== null) current.text += piece.toString('utf8');
    },
    /** `told`: it is passed on as it is. */
    answered: (piece: Buffer, told: boolean): void => {
      if (current === null) return;
      const status = statusLine.exec(beginning(piece))?.[1];
      if (status !== undefined) Object.assign(current, { status: Number(status), told });
      else current.told &&= told;
    },
    /** The answer did not reach the client. */
    broke: (): void => {
      if (current !== null) current.told = false;
    },
  };
}
