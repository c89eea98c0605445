import type { Skill, ToldFile } from '../../domain/guide/guide.ts'
import { limits } from '../../domain/limits.ts'
import { splitFrontMatter } from './front-matter.ts'
import { type Commit, readTexts } from './read-texts.ts'

/** If two skills have the same name, the first counts. */
export const skillFolders = ['.agents/skills', '.claude/skills'] as const

export interface Skills {
  readonly skills: readonly Skill[]
  readonly told: readonly ToldFile[]
}

/**
 * The catalogue of the skills among these files. A skill has the name of its folder; other keys of
 * its front matter than the description (such as `allowed-tools`) have no effect.
 */
export async function readSkills(commit: Commit, files: readonly string[]): Promise<Skills> {
  const found = skillFolders.flatMap((folder) =>
    files.flatMap((file) => {
      const [, name] = file.startsWith(`${folder}/`)
        ? (/^([^/]+)\/SKILL\.md$/.exec(file.slice(folder.length + 1)) ?? [])
        : []
      return name === undefined ? [] : [{ name, file }]
    }),
  )
  const named = new Map<string, string>()
  const told: ToldFile[] = []
  const refuse = (file: string, why: string, state: 'refused' | 'shadowed' = 'refused') =>
    told.push({ file, kind: 'skill', state, why })
  const taken = found.filter(({ name, file }) => {
    const first = named.get(name)
    if (first !== undefined) refuse(file, `by ${first}`, 'shadowed')
    else if (!isName(name))
      refuse(file, `the name of its folder is not a name of at most ${limits.guide.nameChars} characters`)
    else if (named.size >= limits.guide.skills) refuse(file, `more than ${limits.guide.skills} skills`)
    else named.set(name, file)
    return named.get(name) === file
  })
  const read = await readTexts(
    commit,
    taken.map(({ file }) => file),
    limits.guide.frontBytes,
  )
  const skills: Skill[] = []
  let room: number = limits.guide.catalogueChars
  for (const [i, { name, file }] of taken.entries()) {
    const text = read[i]
    if (!text?.ok) {
      refuse(file, text?.why ?? 'it does not exist')
      continue
    }
    const { data, problem } = await splitFrontMatter(text.text)
    const said = typeof data.description === 'string' ? data.description.replace(/\s+/g, ' ').trim() : ''
    const description = said === '' ? '(it has no description)' : said.slice(0, limits.guide.descriptionChars)
    if (description.length > room) {
      refuse(file, `the descriptions of all skills have more than ${limits.guide.catalogueChars} characters`)
      continue
    }
    room -= description.length
    skills.push({ name, description, file })
    const why = [
      problem ?? (said === '' ? 'it has no description' : null),
      said.length > description.length ? `its description is cut after ${description.length} characters` : null,
      'allowed-tools' in data ? 'its allowed-tools have no effect' : null,
    ].filter((each) => each !== null)
    told.push({ file, kind: 'skill', state: 'listed', ...(why.length > 0 && { why: why.join('; ') }) })
  }
  return { skills, told }
}

/** True for names that a model can repeat exactly. */
function isName(name: string): boolean {
  return name.length <= limits.guide.nameChars && /^[\p{L}\p{N}][\p{L}\p{N}._ -]*$/u.test(name)
}
