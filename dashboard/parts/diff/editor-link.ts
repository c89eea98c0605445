import type { Diff } from '../../../src/api/stories.ts'

/** The URL that opens a file, or a line of it, in the person's editor. */
export function editorLink({ folder, link }: NonNullable<Diff['workspace']>, path: string, line = 1): string {
  const whole = `${folder}/${path}`.split('/').map(encodeURIComponent).join('/')
  return link.replaceAll('{path}', () => whole).replaceAll('{line}', String(line))
}
