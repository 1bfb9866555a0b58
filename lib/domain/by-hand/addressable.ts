/**
 * The keys that the path `/v1/kv/<key>` reaches. The provider reads by this rule, and the copy menu writes commands by
 * it in a browser, which loads no provider.
 */

/**
 * True when the path reaches this very key in every version of Consul. Older versions answer 301 for `//`, a leading
 * `/` and `..`, 1.21.5 refuses all but these characters, and later ones clean the path. A transaction takes any key
 * before Consul 2.0, and since then any that keeps its rule (`key-rule.ts`).
 */
export function addressable(key: string): boolean {
  return /^[\w.,/-]+$/.test(key) && hasOwnPath(key);
}

/** False where the path leads to another key: by 301 before 1.22, and silently since then. */
export const hasOwnPath = (key: string): boolean => !/^\/|\/\/|(^|\/)\.{1,2}(\/|$)/.test(key);
