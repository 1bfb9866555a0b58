/** Chinese: what the page for a bug in the frame says at once, before its other words have come. */
import type { failed as english } from '@/lib/i18n/en/failed';

export const failed: typeof english = {
  title: 'Signalbox 未能绘制此页面。',
  retry: '重新加载',
};
