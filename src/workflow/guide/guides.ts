import { posix } from 'node:path'
import {
  type Guide,
  type GuideText,
  guideNames,
  type ReadGuides,
  type Rule,
  type Skill,
  type ToldFile,
} from '../../domain/guide/guide.ts'
import { limits } from '../../domain/limits.ts'
import { readGuide } from './read-guide.ts'
import { readRules, ruleFolders } from './read-rules.ts'
import { readSkills, skillFolders } from './read-skills.ts'
import { type Commit, type ReadText, readTexts } from './read-texts.ts'

/**
 * The guides at a Run's base commit. They enter prompts as data. Nothing is read from a working
 * tree or a workspace.
 */
export interface Guides {
  /** The guide that every agent gets at its start. */
  of(base: string): Promise<Guide>
  /** Further guides about these files, the most specific last. */
  about(base: string, paths: readonly string[]): Promise<readonly GuideText[]>
  /** The guides below the root, from which `about` selects those that a file needs. */
  below(base: string): Promise<readonly ToldFile[]>
  skill(base: string, skill: Skill): Promise<ReadText>
}

/** Caches by commit, since the contents of a commit never change. */
export function createGuides(sources: Omit<Commit, 'sha'>): Guides {
  const known = new Map<string, Promise<unknown>>()
  function once<T>(key: readonly string[], read: () => Promise<T>): Promise<T> {
    const id = JSON.stringify(key)
    const reading = (known.get(id) as Promise<T> | undefined) ?? read()
    known.set(id, reading)
    reading.catch(() => known.delete(id))
    return reading
  }
  const at = (sha: string): Commit => ({ ...sources, sha })
  const of = (base: string) => once(['of', base], () => readAll(at(base)))
  const names = (base: string) => once(['names', base], () => namesBelow(at(base)))
  const inFolder = (base: string, folder: string) => once(['in', base, folder], () => readGuide(at(base), folder))

  return {
    of,

    async about(base, paths) {
      const [{ texts: first, rules }, { folders }] = await Promise.all([of(base), names(base)])
      const found: GuideText[] = []
      for (const path of paths) {
        const own: ReadGuides[] = []
        for (const folder of foldersAbove(path)) if (folders.has(folder)) own.push(await inFolder(base, folder))
        const texts = own.flatMap((each) => each.texts)
        const isCovered = [...first, ...texts].some(({ file }) => posix.basename(file) === guideNames[0])
        found.push(...(isCovered ? [] : rules.filter((rule) => isFor(sources, rule, path))), ...texts)
      }
      const later = found.filter(({ file }) => !first.some((guide) => guide.file === file))
      return [...new Map(later.map((guide) => [guide.file, guide])).values()]
    },

    async below(base) {
      const { folders, isCut } = await names(base)
      const told = await Promise.all([...folders].map(async (folder) => (await inFolder(base, folder)).told))
      const why = `more than ${limits.guide.named} guides`
      const more: ToldFile = { file: 'more guides', kind: 'guide', state: 'refused', why }
      const listed = told.flat().map((each) => (each.state === 'loaded' ? { ...each, state: 'listed' as const } : each))
      return isCut ? [...listed, more] : listed
    },

    async skill(base, { file }) {
      const [read] = await readTexts(at(base), [file], limits.guide.bytes)
      return read ?? { ok: false, why: null }
    },
  }
}

async function readAll(commit: Commit): Promise<Guide> {
  const folders = [...ruleFolders.map(({ folder }) => folder), ...skillFolders]
  const [guide, entries] = await Promise.all([
    readGuide(commit, ''),
    commit.userRepository.entriesBelow(commit.sha, folders),
  ])
  const files = entries.map(({ path }) => path)
  const [{ rules, told: ofRules }, { skills, told: ofSkills }] = await Promise.all([
    readRules(commit, files),
    readSkills(commit, files),
  ])
  const links = entries.flatMap(({ path, isLink }): ToldFile[] => {
    const isRead = [...ofRules, ...ofSkills].some(({ file }) => file === path)
    const kind = path.endsWith('skills') || path.includes('skills/') ? 'skill' : 'rule'
    return isLink && !isRead ? [{ file: path, kind, state: 'refused', why: 'a link to a folder' }] : []
  })
  const covering = guide.texts.find(({ file }) => file === guideNames[0])
  const shadowed = ofRules.map((each) =>
    covering === undefined || each.state === 'refused'
      ? each
      : { ...each, state: 'shadowed' as const, why: `by ${covering.file}` },
  )
  const forAll = covering === undefined ? rules.filter(({ globs }) => globs === null) : []
  const { texts, told } = withinRoom([...guide.texts, ...forAll])
  const later = covering === undefined ? rules.filter(({ globs }) => globs !== null) : []
  const all = [...guide.told, ...shadowed, ...ofSkills, ...links].map(
    (each) => told.find(({ file }) => file === each.file) ?? each,
  )
  return { texts, rules: later, skills, told: all.slice(0, limits.guide.told) }
}

/** Takes as many texts as a first message has room for. */
function withinRoom(all: readonly GuideText[]): ReadGuides {
  let room: number = limits.guide.firstBytes
  const texts: GuideText[] = []
  const told: ToldFile[] = []
  for (const each of all) {
    const bytes = Buffer.byteLength(each.text)
    if (bytes <= room) texts.push(each)
    else {
      const why = `what is told from the start has more than ${limits.guide.firstBytes} bytes`
      told.push({ file: each.file, kind: 'guide', state: 'refused', why })
    }
    room -= bytes <= room ? bytes : 0
  }
  return { texts, told }
}

/** Folders of the commit that have a guide, except the root. */
async function namesBelow({ userRepository, sha }: Commit): Promise<{ folders: ReadonlySet<string>; isCut: boolean }> {
  const pattern = `{${guideNames.join(',')}}`
  const listed = await userRepository.committed(sha).list(pattern, limits.guide.named, new AbortController().signal)
  if (!listed.ok) return { folders: new Set(), isCut: false }
  const folders = listed.value.paths.map((path) => posix.dirname(path)).filter((folder) => folder !== '.')
  return { folders: new Set(folders), isCut: listed.value.truncated }
}

/** Folders from the root's own down to the file's. */
function foldersAbove(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'))
}

/** A glob without a slash matches names in any folder. */
function isFor({ globMatcher }: Pick<Commit, 'globMatcher'>, { globs }: Rule, path: string): boolean {
  const matches = (glob: string) => globMatcher(glob)(glob.includes('/') ? path : posix.basename(path))
  return globs === null || globs.some(matches)
}
