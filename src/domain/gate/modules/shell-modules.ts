import type { ModuleTree } from './module-tree.ts'
import { folderOf, joined } from './paths.ts'

/**
 * True for a shell script by its extension; without one, the file must lie in a folder of programs.
 */
export const isShell = (path: string): boolean =>
  /\.(?:sh|bash|bats)$/i.test(path) || /(?:^|\/)s?bin\/[^./]+$/.test(path)

const read =
  /(?:^|[;&|({]|\b(?:then|do|else))[ \t]*(?:exec[ \t]+)?(?:source|\.|load|(?:ba|da|z)?sh|node|bun|tsx|python3?)[ \t]+([^\n;&|]+)/gm

/** The files that a shell script sources or runs. */
export function loadsOfShell(tree: ModuleTree, path: string): readonly string[] {
  const found: string[] = []
  for (const [, words = ''] of tree.uncommented(path).matchAll(read)) {
    // Everything up to the last variable is treated as the folder of the script.
    const rest = words.slice(words.lastIndexOf('$') + 1).replace(/["']/g, '')
    const [name = ''] = (words.includes('$') ? rest.slice(rest.indexOf('/') + 1) : rest).trim().split(/[\s)]/)
    const places = [joined(folderOf(path), name), joined('', name)].flatMap((each) => [each, `${each}.bash`])
    found.push(
      ...places
        .filter((each) => each !== null && each !== '' && tree.has(each))
        .slice(0, 1)
        .map(String),
    )
  }
  return found
}
