/** English: the button of the copy menu. */
export const copyButton = {
  button: 'Copy',
  row: (name: string) => `Menu of ${name}`,
};
