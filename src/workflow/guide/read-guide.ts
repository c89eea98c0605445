import { posix } from 'node:path'
import { type GuideText, guideNames, type ReadGuides, type ToldFile } from '../../domain/guide/guide.ts'
import { importsIn } from '../../domain/guide/imports-in.ts'
import { limits } from '../../domain/limits.ts'
import { type Commit, readTexts, type Text } from './read-texts.ts'

/** A text, and the files that it imports. */
interface ImportedGuide {
  readonly guide: GuideText
  readonly way: readonly string[]
}

/**
 * The guide of a folder of the commit, '' for the root: its `AGENTS.md`, or else its `CLAUDE.md`
 * with its imports.
 */
export async function readGuide(commit: Commit, folder: string): Promise<ReadGuides> {
  const files = guideNames.map((name) => posix.join(folder, name))
  const read = await readTexts(commit, files, limits.guide.bytes)
  const at = read.findIndex(({ ok }) => ok)
  const told = files.flatMap((file, i): ToldFile[] => {
    const each = read[i]
    if (each === undefined || (!each.ok && each.why === null)) return []
    if (each.ok && i === at) return [toldOf({ file, kind: 'guide' }, each)]
    if (each.ok) return [{ file, kind: 'guide', state: 'shadowed', why: `by ${files[at]}` }]
    return [{ file, kind: 'guide', state: 'refused', why: each.why ?? '' }]
  })
  const [file, found] = [files[at], read[at]]
  if (file === undefined || !found?.ok) return { texts: [], told }
  const guide = { file, text: found.text, cut: found.cut }
  const imported = file.endsWith(guideNames[1]) ? await readImports(commit, guide) : { texts: [], told: [] }
  return { texts: [guide, ...imported.texts], told: [...told, ...imported.told] }
}

function toldOf({ file, kind }: Pick<ToldFile, 'file' | 'kind'>, read: Text): ToldFile {
  if (!read.cut) return { file, kind, state: 'loaded' }
  return { file, kind, state: 'cut', why: `after ${limits.guide.bytes} of ${read.size} bytes` }
}

/** The imports of a guide and their own imports, level by level. */
async function readImports(commit: Commit, guide: GuideText): Promise<ReadGuides> {
  const texts: GuideText[] = []
  const told: ToldFile[] = []
  const known = new Set([guide.file])
  let level: readonly ImportedGuide[] = [{ guide, way: [guide.file] }]
  while (level.length > 0) {
    const wanted = level.flatMap(({ guide: { file, text }, way }) =>
      importsIn(text).map((name) => ({ name, file, way })),
    )
    const next = wanted.flatMap(({ name, file, way }) => {
      const path = pathOf(name, file)
      const refuse = (why: string) => {
        told.push({ file: path ?? name, kind: 'import', state: 'refused', why })
        return []
      }
      if (path === null) return refuse(`${file} imports it, and it is outside of the repository`)
      if (way.includes(path)) return refuse(`a cycle: ${[...way, path].join(' imports ')}`)
      if (known.has(path)) return []
      if (way.length > limits.guide.importDepth)
        return refuse(`imported more than ${limits.guide.importDepth} files deep`)
      if (known.size > limits.guide.imports) return refuse(`more than ${limits.guide.imports} imports`)
      known.add(path)
      return [{ path, way: [...way, path], from: file }]
    })
    const read = await readTexts(
      commit,
      next.map(({ path }) => path),
      limits.guide.bytes,
    )
    level = next.flatMap(({ path, way, from }, i) => {
      const each = read[i]
      // A word after an @ may also be a name or a package.
      const isNoFile = each === undefined || (!each.ok && each.why === null && !/\.\w+$/.test(path))
      if (isNoFile) return []
      if (!each.ok) {
        told.push({
          file: path,
          kind: 'import',
          state: 'refused',
          why: each.why ?? `${from} imports it, and it does not exist`,
        })
        return []
      }
      told.push(toldOf({ file: path, kind: 'import' }, each))
      const text = { file: path, text: each.text, cut: each.cut }
      texts.push(text)
      return [{ guide: text, way }]
    })
  }
  return { texts, told }
}

/** Null for a path outside the repository. */
function pathOf(name: string, from: string): string | null {
  if (/^[/~]/.test(name)) return null
  const path = posix.join(posix.dirname(from), name)
  return path === '..' || path.startsWith('../') ? null : path
}
