/** Server-Sent Events, from bytes to events. https://html.spec.whatwg.org/multipage/server-sent-events.html */

/** @typedef {{ event: string, id: string | null, data: string }} ServerEvent `id`: of the last one that had one */

/** A snapshot of 100,000 rows is some 50 MB. */
const lengthMax = 256 * 1024 * 1024;

/**
 * @param {AsyncIterable<Uint8Array>} bytes
 * @param {() => void} [heard] called with every part that comes, comments included
 * @returns {AsyncGenerator<ServerEvent>}
 */
export async function* events(bytes, heard = () => {}) {
  const decoder = new TextDecoder();
  let rest = '';
  let event = '';
  /** @type {string | null} */
  let id = null;
  /** @type {string[]} */
  let data = [];
  for await (const part of bytes) {
    heard();
    const text = decoder.decode(part, { stream: true });
    rest += text;
    if (rest.length > lengthMax) throw new Error('The console sends an event without an end.');
    // A snapshot is one line in thousands of parts: scanning all of it with each would take minutes.
    if (!/[\r\n]/.test(text)) continue;
    // A carriage return at the end may be half of a line end.
    const whole = rest.endsWith('\r') ? rest.length - 1 : rest.length;
    const lines = rest.slice(0, whole).split(/\r\n|\n|\r/);
    rest = (lines.pop() ?? '') + rest.slice(whole);
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield { event: event || 'message', id, data: data.join('\n') };
        event = '';
        data = [];
        continue;
      }
      const at = line.indexOf(':');
      const name = at === -1 ? line : line.slice(0, at);
      const value = at === -1 ? '' : line.slice(at + 1).replace(/^ /, '');
      if (name === 'event') event = value;
      else if (name === 'data') data.push(value);
      else if (name === 'id' && !value.includes('\0')) id = value;
    }
  }
}
