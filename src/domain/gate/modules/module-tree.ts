import { type CodeSyntax, syntaxOf } from '../code-syntax.ts'
import { maskCode, maskStrings } from '../mask-code.ts'
import { folderOf } from './paths.ts'

/** The files of one commit, with the texts of files that may load others. */
interface TreeTexts {
  /** All regular files, by path from the root. */
  readonly paths: readonly string[]
  /** Texts by path; texts over the limits are missing. */
  readonly texts: ReadonlyMap<string, string>
  /** True if all wanted texts are present. */
  readonly whole: boolean
}

/** A tree that masks each text once. */
export interface ModuleTree {
  readonly paths: readonly string[]
  has(path: string): boolean
  text(path: string): string
  /** The text with blanks in place of comments and of the contents of strings. */
  code(path: string): string
  /** The text with blanks in place of comments alone. */
  uncommented(path: string): string
  /** Files that lie directly in a folder. */
  filesIn(folder: string): readonly string[]
}

export function moduleTree({ paths, texts }: TreeTexts): ModuleTree {
  const all = new Set(paths)
  const codes = new Map<string, string>()
  const plain = new Map<string, string>()
  let folders: Map<string, string[]> | undefined
  const text = (path: string) => texts.get(path) ?? ''
  const code = (path: string) => {
    const known = codes.get(path)
    if (known !== undefined) return known
    const made = maskCode(text(path), syntaxOf(path, text(path)))
    codes.set(path, made)
    return made
  }
  return {
    paths,
    has: (path) => all.has(path),
    text,
    code,
    uncommented(path) {
      const made = plain.get(path) ?? withoutComments(text(path), syntaxOf(path, text(path)), code(path))
      plain.set(path, made)
      return made
    },
    filesIn(folder) {
      folders ??= byFolder(paths)
      return folders.get(folder) ?? []
    },
  }
}

function byFolder(paths: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const path of paths) {
    const folder = folderOf(path)
    const files = found.get(folder)
    if (files === undefined) found.set(folder, [path])
    else files.push(path)
  }
  return found
}

/** Blanks comments, which are the parts that differ between the two masked texts. */
function withoutComments(text: string, syntax: CodeSyntax, code: string): string {
  const commented = maskStrings(text, syntax)
  if (commented === code) return text
  const parts: string[] = []
  let [from, at] = [0, 0]
  while (at < text.length) {
    if (code[at] === commented[at]) {
      at += 1
      continue
    }
    parts.push(text.slice(from, at))
    const start = at
    while (at < text.length && (code[at] !== commented[at] || code[at] === ' ')) at += 1
    parts.push(text.slice(start, at).replace(/[^\n]/g, ' '))
    from = at
  }
  parts.push(text.slice(from))
  return parts.join('')
}
