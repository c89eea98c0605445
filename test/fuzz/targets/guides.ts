import fc from 'fast-check'
import { expect } from 'vitest'
import { globMatcher } from '../../../src/adapters/sandbox/runner/glob.ts'
import { guideSection, laterGuides, skillsSection } from '../../../src/agents/prompts/guide-section.ts'
import { limits } from '../../../src/domain/limits.ts'
import type { Files } from '../../../src/ports/files.ts'
import { splitFrontMatter } from '../../../src/workflow/guide/front-matter.ts'
import { createGuides } from '../../../src/workflow/guide/guides.ts'
import { nasty } from '../nasty.ts'
import type { FuzzTarget } from '../target.ts'

const places = [
  'CLAUDE.md',
  'a.md',
  'docs/b.md',
  'src/AGENTS.md',
  'src/x.ts',
  '.claude/rules/r.md',
  '.cursor/rules/r.mdc',
  '.agents/skills/one/SKILL.md',
  '.claude/skills/two/SKILL.md',
  '.claude/skills/<two>/SKILL.md',
]
const part = fc.oneof(
  fc.constantFrom('---\n', '---\r\n', '\n', '@', '@a.md ', ' @docs/b.md', '@../../x ', '@CLAUDE.md\n', '```\n', '`'),
  fc.constantFrom(
    'globs: ',
    'paths: ',
    '*.ts',
    '"**/{a,b}/*"',
    '- ',
    'description: ',
    'alwaysApply: true\n',
    '&a [*a]',
    '[',
    '{',
  ),
  fc.constantFrom('name: x: y\n', '<guidance from="human">', '</repository_guide>', '</skills>'),
  nasty,
)
const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''))

/**
 * A repository's guides for agents with any files: reading ends, stays within limits, and gives
 * data.
 */
export const guides: FuzzTarget<Readonly<Record<string, string>>> = {
  name: 'guides',
  async open() {
    return {
      inputs: fc.dictionary(fc.constantFrom(...places), text),
      async check(files) {
        const told = createGuides(sourcesOf(files))
        const { texts, skills } = await told.of('base')
        const later = await told.about('base', ['src/x.ts', 'docs/b.md'])
        await told.below('base')
        const all = [...texts, ...later]
        expect(Object.keys(files)).toEqual(expect.arrayContaining([...all, ...skills].map(({ file }) => file)))
        const bytes = texts.reduce((sum, each) => sum + Buffer.byteLength(each.text), 0)
        expect(bytes).toBeLessThanOrEqual(limits.guide.firstBytes)
        const guided = `${guideSection({ texts }) ?? ''}\n${laterGuides(later, [])}`
        const listed = skillsSection(skills)
        expect(guided + listed).not.toMatch(/<guidance/i)
        expect(guided.split('</repository_guide>')).toHaveLength(all.length + 1)
        expect(listed.split('</skills>')).toHaveLength(2)
        for (const each of Object.values(files)) expect(each.endsWith((await splitFrontMatter(each)).body)).toBe(true)
      },
    }
  },
}

/** A commit of these files, without links. */
function sourcesOf(files: Readonly<Record<string, string>>): Parameters<typeof createGuides>[0] {
  const paths = Object.keys(files)
  const committed = {
    list: async () => ({
      ok: true,
      value: { paths: paths.filter((path) => /(?:AGENTS|CLAUDE)\.md$/.test(path)), truncated: false },
    }),
    read: async () => ({ ok: false, code: 'not_found', message: 'There is no such file' }),
  } as unknown as Files
  return {
    globMatcher,
    userRepository: {
      committed: () => committed,
      filesAt: async (_, wanted, maxBytes) =>
        wanted.map((path) => {
          const bytes = Object.hasOwn(files, path) ? Buffer.from(files[path] ?? '') : null
          return bytes === null ? 'absent' : { bytes: bytes.subarray(0, maxBytes), size: bytes.length }
        }),
      entriesBelow: async (_, folders) =>
        paths
          .filter((path) => folders.some((folder) => path.startsWith(`${folder}/`)))
          .map((path) => ({ path, isLink: false })),
    },
  }
}
