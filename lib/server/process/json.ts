/** JSON of data that grow with a world, in steps: lists are written item by item. */
import type { Steps } from '@/lib/domain/sliced-work';

const charsOfRow = 8_000;
const pieceChars = 256 * 1024;
/** Levels of nested objects. A snapshot has its lists at the top, a patch one level below. */
const depthMax = 2;

/** The bytes of `JSON.stringify(value)` between two texts. For plain data, as `same` compares it. */
export function* writingJson(value: object, before = '', after = ''): Steps<Buffer<ArrayBuffer>> {
  const pieces: Buffer[] = [];
  let text = before;
  const flush = () => {
    pieces.push(Buffer.from(text));
    text = '';
  };
  function* write(one: unknown, depth: number): Steps<void> {
    const isList = Array.isArray(one);
    if (typeof one !== 'object' || one === null || (!isList && depth === 0)) {
      const part = JSON.stringify(one);
      text += part;
      if (text.length > pieceChars) flush();
      return yield part.length / charsOfRow;
    }
    let isFirst = true;
    text += isList ? '[' : '{';
    for (const [name, member] of isList ? one.entries() : Object.entries(one)) {
      if (member === undefined) continue;
      text += `${isFirst ? '' : ','}${isList ? '' : `${JSON.stringify(name)}:`}`;
      isFirst = false;
      yield* write(member, isList ? 0 : depth - 1);
    }
    text += isList ? ']' : '}';
  }
  yield* write(value, depthMax);
  text += after;
  flush();
  return Buffer.concat(pieces);
}
