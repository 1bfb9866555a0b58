/** Valid inputs of our schemas, made from the schema itself, so that additions to a schema are covered at once. */
import fc from 'fast-check';
import type { z } from 'zod';
import { anyJson, anyText } from './bytes';

interface Def {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly element?: z.ZodType;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly options?: readonly z.ZodType[];
  readonly values?: readonly unknown[];
  readonly valueType?: z.ZodType;
  readonly getter?: () => z.ZodType;
  readonly entries?: Readonly<Record<string, string>>;
}

const defOf = (schema: unknown) => (schema as { readonly _zod: { readonly def: Def } })._zod.def;

const made = new WeakMap<object, fc.Arbitrary<unknown>>();

/** Values of this shape. Bounds and patterns of texts are ignored, so a schema with some may refuse a value. */
export function shaped(schema: unknown): fc.Arbitrary<unknown> {
  const key = schema as object;
  const known = made.get(key) ?? arbitraryOf(defOf(schema));
  made.set(key, known);
  return known;
}

function arbitraryOf(def: Def): fc.Arbitrary<unknown> {
  switch (def.type) {
    case 'string':
      return anyText;
    case 'number':
    case 'int':
      return fc.oneof(fc.nat(5), fc.integer(), fc.constantFrom(0, -1, 1e15, 8.64e15, 1e21, 0.5));
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'literal':
      return fc.constantFrom(...(def.values ?? []));
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries ?? {}));
    case 'nullable':
      return fc.option(shaped(def.innerType), { nil: null });
    case 'optional':
      return fc.option(shaped(def.innerType), { nil: undefined });
    case 'default':
    case 'prefault':
    case 'readonly':
    case 'catch':
      return shaped(def.innerType);
    case 'pipe':
      return shaped(def.in);
    case 'array':
      return fc.array(shaped(def.element), { maxLength: 3 });
    case 'union':
      return fc.oneof(...(def.options ?? []).map(shaped));
    case 'object':
      return fc.record(
        Object.fromEntries(Object.entries(def.shape ?? {}).map(([name, of]) => [name, shaped(of)])),
        { noNullPrototype: true },
      );
    case 'record':
      return fc.dictionary(anyText, shaped(def.valueType), { maxKeys: 2, noNullPrototype: true });
    case 'unknown':
      return anyJson;
    case 'lazy': {
      // Deferred, because such a schema contains itself.
      const { getter } = def;
      return fc.constant(null).chain(() => shaped(getter?.()));
    }
    default:
      throw new Error(`Nothing is known of how to make a ${def.type}.`);
  }
}
