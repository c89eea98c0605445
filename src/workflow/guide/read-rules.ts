import type { Rule, ToldFile } from '../../domain/guide/guide.ts'
import { limits } from '../../domain/limits.ts'
import { listOf, splitFrontMatter } from './front-matter.ts'
import { type Commit, readTexts } from './read-texts.ts'

/** Folders of rules, with their file endings and the key under which a rule lists files. */
export const ruleFolders = [
  { folder: '.cursor/rules', ending: /\.mdc?$/, globs: 'globs', always: 'alwaysApply' },
  { folder: '.claude/rules', ending: /\.md$/, globs: 'paths', always: null },
] as const

export interface Rules {
  readonly rules: readonly Rule[]
  readonly told: readonly ToldFile[]
}

/** The rules among these files; each applies to all files, or to those that its globs match. */
export async function readRules(commit: Commit, files: readonly string[]): Promise<Rules> {
  const found = files.flatMap((file) => {
    const kind = ruleFolders.find(({ folder, ending }) => file.startsWith(`${folder}/`) && ending.test(file))
    return kind === undefined ? [] : [{ file, kind }]
  })
  const taken = found.slice(0, limits.guide.rules)
  const read = await readTexts(
    commit,
    taken.map(({ file }) => file),
    limits.guide.bytes,
  )
  const rules: Rule[] = []
  const told: ToldFile[] = tooMany(found.length - taken.length)
  for (const [i, { file, kind }] of taken.entries()) {
    const text = read[i]
    if (!text?.ok) {
      told.push({ file, kind: 'rule', state: 'refused', why: text?.why ?? 'it does not exist' })
      continue
    }
    const { data, body, problem } = await splitFrontMatter(text.text)
    const named = listOf(data[kind.globs]).slice(0, limits.guide.globs)
    const globs = named.filter((glob) => isGlob(commit, glob))
    const isForAll = problem !== null || (kind.always === null ? named.length === 0 : data[kind.always] === true)
    if (!isForAll && globs.length === 0) {
      const why = named.length === 0 ? 'it names no files that it is for' : `it has no glob but ${named.join(', ')}`
      told.push({ file, kind: 'rule', state: 'refused', why })
      continue
    }
    rules.push({ file, text: body, cut: text.cut, globs: isForAll ? null : globs })
    const why = [
      problem === null ? null : `for all files, since ${problem}`,
      isForAll ? null : `for ${globs.join(', ')}`,
      text.cut ? `cut after ${limits.guide.bytes} of ${text.size} bytes` : null,
    ].filter((each) => each !== null)
    const state = isForAll ? (text.cut ? 'cut' : 'loaded') : 'listed'
    told.push({ file, kind: 'rule', state, ...(why.length > 0 && { why: why.join('; ') }) })
  }
  return { rules, told }
}

function isGlob({ globMatcher }: Commit, glob: string): boolean {
  try {
    globMatcher(glob)
    return true
  } catch {
    return false
  }
}

function tooMany(count: number): ToldFile[] {
  if (count <= 0) return []
  const why = `more than ${limits.guide.rules} rules`
  return [{ file: `${count} more files`, kind: 'rule', state: 'refused', why }]
}
