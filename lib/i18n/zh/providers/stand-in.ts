/** Chinese (simplified): what the stand-in says in its own words. */
import type { standIn as english } from '@/lib/i18n/en/providers/stand-in';

const notices = '持有者在下一次续期时得知：那时它的条目已经不在。在此之前它会继续工作。';

export const standIn: typeof english = {
  layouts: {
    'stand-in-lock': { name: '替身锁', caution: null, notices },
    'stand-in-semaphore': { name: '替身信号量', caution: null, notices },
  },
  why: {
    'not-offered': () => '这个来源不提供此操作。',
    'file-busy': () => '另一个程序正在写这个文件。没有写入任何内容。请再试一次。',
    'file-not-read': ({ errno }) => `Signalbox 无法读取文件（${errno}）。`,
    'file-not-understood': ({ where }) => `Signalbox 无法解读文件${where === '' ? '' : `中的 ${where}`}。`,
  },
  outages: {
    'file-unread': {
      short: '文件无法读取',
      title: 'Signalbox 无法读取替身的文件。',
      means: '其他来源中的锁不受影响。使用该文件的程序可能也无法访问它。',
      next: '请检查文件是否在其路径上，以及 Signalbox 是否有权读取。',
    },
    'file-unclear': {
      short: '文件无法解读',
      title: 'Signalbox 无法解读替身的文件。',
      means: '其他来源中的锁不受影响。使用该文件的程序可能也会失败。',
      next: '请检查文件是否为含有 locks 和 semaphores 的 JSON；其格式见 docs/providers.md。',
    },
  },
};
