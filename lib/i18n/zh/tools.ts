/** Chinese (simplified): the tools of every page: palette, saved views and keys. */
import { desk } from './desk';

export const palette = {
  ...desk.palette,
  label: '命令',
  placeholder: '前往锁、信号量、会话或页面，或执行操作…',
  nothing: '没有匹配项。',
  groups: {
    subjects: '锁和信号量',
    sessions: '会话',
    pages: '页面',
    views: '视图',
    commands: '命令',
  },
  board: '看板',
  needs: '看板：需人工处理的',
  waiting: '看板：有会话等待的',
  locks: '看板：仅锁',
  semaphores: '看板：仅信号量',
  grouped: '看板：按前缀分组',
  sessions: '会话',
  toDark: '深色主题',
  toLight: '浅色主题',
  language: (name: string) => `语言 (Language)：${name}`,
  freeze: '冻结本页',
  resume: '恢复：重新显示当前状态',
  copyLink: '复制当前视图的链接',
  searchBoard: (text: string) => `在看板里搜索“${text}”`,
  help: '帮助：指示灯和按键',
};

export const views = {
  ...desk.views,
  label: '已保存的视图',
  none: '这个浏览器里没有保存视图。',
  note: '只保存在这个浏览器里。视图就是一个链接：筛选、搜索、排序和分组。',
  name: '视图名称',
  save: '保存当前视图',
  remove: (name: string) => `移除视图 ${name}`,
  copy: '复制当前视图的链接',
  full: '浏览器拒绝保存。',
};

export const keys = {
  toggle: '单字母按键',
  toggleHelp: '如果妨碍语音输入或屏幕阅读器，可以关闭。Ctrl K 和列表内的按键仍然有效。',
  everywhere: '任何位置',
  lists: '在看板和会话列表中',
  list: [
    ['/', '搜索'],
    ['Enter', '在搜索框中：打开明确所指的对象'],
    ['Esc', '在搜索框中：清空'],
    ['Ctrl K', '命令：前往任何地方，执行任何操作'],
    ['f', '冻结本页，或恢复'],
    ['?', '本帮助'],
  ],
  rows: [
    ['↓ 或 j', '下一行；从搜索框或页面进入列表'],
    ['↑ 或 k', '上一行'],
    ['Page Down、Page Up', '下一屏、上一屏'],
    ['Home、End', '第一行、最后一行'],
    ['Enter', '打开该行；在分组标题上则展开或收起'],
    ['← →', '在分组标题上：收起、展开'],
    ['m', '该行的菜单：复制和交接'],
  ],
};
