/** Chinese (simplified): the button of the copy menu. */
export const copyButton = {
  button: '复制',
  row: (name: string) => `${name} 的菜单`,
};
