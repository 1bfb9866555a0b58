/** Chinese (simplified): the button in the header that says who one is. */
import type { FirstMessages } from '@/lib/i18n/en/messages';

export const whoButton: FirstMessages['identity']['who'] = {
  label: (name) => `你是谁：${name}`,
  anonymous: '匿名',
  signIn: '登录',
};
