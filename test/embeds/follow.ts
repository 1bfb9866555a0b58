/** A stream of an embed as it comes. Only tests import it. */

/** Reads a stream to its end. */
export async function follow(response: Response) {
  let text = '';
  const reader = response.body?.getReader();
  const ended = (async () => {
    const decoder = new TextDecoder();
    for (;;) {
      const part = await reader?.read();
      if (part === undefined || part.done) return;
      text += decoder.decode(part.value, { stream: true });
    }
  })();
  return { text: () => text, ended, cancel: () => reader?.cancel() };
}
