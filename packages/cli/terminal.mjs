/**
 * What is printed. Clients of Consul choose names, and a terminal obeys some characters, so none of those is printed as
 * it is.
 */

/** Controls, characters that change the direction or cannot be seen, line ends, and halves of pairs. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * A name as it can be printed on one line.
 * @param {string} text
 * @returns {string}
 */
export function shown(text) {
  return text.replace(unsafe, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
}

/**
 * JSON that a terminal takes no harm from: the same value, with escapes where `JSON.stringify` has none.
 * @param {unknown} value
 * @param {number} [indent]
 * @returns {string}
 */
export function safeJson(value, indent) {
  const text = JSON.stringify(value, null, indent);
  // The layout between members is ours; line ends inside texts are escaped already.
  return text.replace(unsafe, (one) => {
    if (one === '\n') return one;
    return Array.from({ length: one.length }, (_, i) => {
      return `\\u${one.charCodeAt(i).toString(16).padStart(4, '0')}`;
    }).join('');
  });
}

/** @typedef {'red' | 'yellow' | 'green' | 'dim' | 'bold'} Colour */
/** @type {Readonly<Record<Colour, readonly [on: number, off: number]>>} */
const codes = { red: [31, 39], yellow: [33, 39], green: [32, 39], dim: [2, 22], bold: [1, 22] };

/**
 * Paints on a terminal that can, unless NO_COLOR (https://no-color.org) says not to.
 * @param {{ isTTY?: boolean }} stream
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {(colour: Colour, text: string) => string}
 */
export function painter(stream, env) {
  const on = stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  return (colour, text) => {
    const [begin, end] = codes[colour];
    return on ? `\u001b[${begin}m${text}\u001b[${end}m` : text;
  };
}

const painted = new RegExp(`(\u001b\\[(?:${[...new Set(Object.values(codes).flat())].join('|')})m)`);

/**
 * Lines on their way out, where only colours of our own are left: what was printed without a thought, such as a code
 * of the console's, may come from something else that answers in its place.
 * @param {string} lines
 * @returns {string}
 */
export function printable(lines) {
  return lines
    .split(painted)
    .map((part, i) => (i % 2 === 1 ? part : sentences(part)))
    .join('');
}

/**
 * Sentences of the server, each line safe and set in.
 * @param {string} text
 * @param {string} [indent]
 * @returns {string}
 */
export function sentences(text, indent = '') {
  return text
    .split('\n')
    .map((line) => `${indent}${shown(line)}`)
    .join('\n');
}

/**
 * A line in as many as a terminal of so many places needs, cut at spaces. The later ones begin below its first word.
 * @param {string} line one of ours, with colours of our own
 * @param {number | undefined} places `undefined`: no terminal, which takes the line as it is. So does a terminal of
 *   0 places, which does not know its size: a serial console, or one that a CI job has opened.
 * @returns {string}
 */
export function folded(line, places) {
  const bare = line.replaceAll(new RegExp(painted, 'g'), '');
  if (!places || width(bare) <= places) return line;
  const lead = /^ *(?:[!-] +)?/.exec(bare)?.[0].length ?? 0;
  const hang = ' '.repeat(Math.min(lead, Math.floor(places / 2)));
  const lines = [''];
  let used = 0;
  let gap = '';
  for (const piece of line.split(/( +)/)) {
    if (/^ *$/.test(piece)) {
      gap += piece;
      continue;
    }
    const taken = width(piece.replaceAll(new RegExp(painted, 'g'), ''));
    const isFirst = used === 0;
    if (!isFirst && used + gap.length + taken > places) {
      lines.push(hang + piece);
      used = hang.length + taken;
    } else {
      lines[lines.length - 1] += gap + piece;
      used += gap.length + taken;
    }
    gap = '';
  }
  return lines.join('\n');
}

/**
 * How many places a text takes in a column: wide characters take two. Near enough for setting columns.
 * @param {string} text
 * @returns {number}
 */
export function width(text) {
  let places = 0;
  for (const one of text)
    places +=
      /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Extended_Pictographic}]/u.test(
        one,
      )
        ? 2
        : 1;
  return places;
}

/**
 * Rows in columns; the last one is as long as it is.
 * @param {readonly (readonly string[])[]} rows already safe to print
 * @param {number} [most] no column is set wider
 * @returns {string[]}
 */
export function columns(rows, most = 60) {
  const last = Math.max(0, ...rows.map((row) => row.length - 1));
  const widths = Array.from({ length: last }, (_, i) =>
    Math.min(most, Math.max(0, ...rows.map((row) => width(row[i] ?? '')))),
  );
  return rows.map((row) =>
    row
      .map((cell, i) => (i < last ? cell + ' '.repeat(Math.max(0, (widths[i] ?? 0) - width(cell))) : cell))
      .join('  ')
      .trimEnd(),
  );
}
