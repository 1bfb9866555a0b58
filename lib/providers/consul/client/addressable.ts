/**
 * Whether `/v1/kv/<key>` reaches this very key in every version: older ones answer 301 for `//`, a leading `/` and `..`, 1.21.5 refuses
 * all but these characters, and later ones clean the path. A transaction takes any key before Consul 2.0, and since then any that
 * keeps its rule (`key-rule.ts`).
 */
export function addressable(key: string): boolean {
  return /^[\w.,/-]+$/.test(key) && hasOwnPath(key);
}

/** False where `/v1/kv/<key>` leads to another key: by 301 before 1.22, and since then without a word. */
export const hasOwnPath = (key: string): boolean => !/^\/|\/\/|(^|\/)\.{1,2}(\/|$)/.test(key);
