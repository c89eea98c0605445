import { mayBeProductData } from './computed-reads.ts'
import { embedsOfGo } from './go-modules.ts'
import type { ModuleTree } from './module-tree.ts'
import { folderOf, nameOf } from './paths.ts'
import { judgingOf, type Uses } from './uses.ts'

/**
 * The readers of a data file, according to the texts that name it. `likely`: code that apparently
 * only tests load.
 */
type DataUse = 'tests' | 'product' | 'likely'

export interface Naming {
  /** Command lines of the steps. */
  readonly commands: readonly string[]
  /** True for builds and scripts of the repository itself. */
  readonly isConfig: (path: string) => boolean
}

/**
 * Finds the readers of a data file: tests, if they or the commands of the steps name it and no code
 * of the product does. Code names a file by its own name, or by a folder above it if the code
 * computes file names. A bare file name may mean a file of another folder. Data that may belong to
 * the product without being named counts as the product's.
 */
export function dataUse(
  { uses, naming }: { readonly uses: Uses; readonly naming: Naming },
  path: string,
): DataUse | null {
  const { tree, graph } = uses
  const named = namedBy(path)
  let isOfConfig = false
  let [ofTests, ofProduct, ofLikely]: [Mention, Mention, Mention] = [0, 0, 0]
  if (naming.commands.some((command) => named.words.test(command))) ofTests = 2
  for (const module of graph.modules) {
    const mention = module === path ? 0 : mentionIn(tree, module, named)
    if (mention === 0) continue
    const judging = judgingOf(uses, module)
    if (judging === 'sure') ofTests = mention > ofTests ? mention : ofTests
    else if (judging === 'likely') ofLikely = mention > ofLikely ? mention : ofLikely
    else if (naming.isConfig(module)) isOfConfig = true
    else ofProduct = mention > ofProduct ? mention : ofProduct
  }
  if (ofProduct > 0 && ofProduct >= ofTests && ofProduct >= ofLikely) return 'product'
  if (mayBeProductData({ uses, isConfig: naming.isConfig }, path, ofTests + ofLikely > 0 || isOfConfig))
    return 'product'
  if (ofTests > 0 && ofTests >= ofLikely) return 'tests'
  if (ofLikely > 0) return 'likely'
  const builds = tree.paths.filter((each) => naming.isConfig(each) && tree.text(each) !== '')
  const compares = (each: string) => /\b(?:diff|cmp|comm)\b/.test(tree.text(each)) && named.words.test(tree.text(each))
  return isOfConfig || builds.some(compares) ? 'tests' : null
}

/** `2`: the file or its folder is named; `1`: a file of this name in any folder is named. */
type Mention = 0 | 1 | 2

interface FileName {
  readonly name: string
  readonly folder: string
  readonly file: RegExp
  /**
   * Patterns for one of the file's folders: in front of a computed name (`made`), or alone in
   * quotes (`quoted`).
   */
  readonly made: RegExp | null
  readonly quoted: RegExp | null
  /** The file or one of its folders in a command line. */
  readonly words: RegExp
  readonly quick: readonly string[]
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')

/** Folder names that identify no data, since sources lie in them, too. */
const general = /^(?:src|lib|app|pkg|internal|packages|cmd)$/

function namedBy(path: string): FileName {
  const [name, folder] = [nameOf(path), folderOf(path)]
  const folders = folder.split('/').filter((each) => each !== '' && !general.test(each))
  const any = `(?:${folders.map(escaped).join('|')})`
  const own = `(?<![\\w.-])${escaped(name)}(?![\\w-])`
  const hasFolders = folders.length > 0
  return {
    name,
    folder,
    quick: [name, ...folders],
    file: new RegExp(own, 'g'),
    made: hasFolders ? new RegExp(`(?<=["'\`/])${any}(?:\\/["'\`]|\\/?[$#]?\\{|\\/?%|\\/?\\*)`) : null,
    quoted: hasFolders ? new RegExp(`(?<=["'\`/])${any}["'\`]`) : null,
    words: new RegExp(hasFolders ? `${own}|(?<![\\w.-])${any}(?=\\/?(?:["'\\s*$]|$))` : own, 'm'),
  }
}

/** Words of code that joins or reads paths, so that a word in quotes may be a folder. */
const reads = /\b(?:read\w*|open\w*|fopen|join|resolve|glob\w*|Path|listdir|walk\w*|URL|Dir|FS)\b/i

function mentionIn(tree: ModuleTree, module: string, { name, folder, file, made, quoted, quick }: FileName): Mention {
  const text = tree.text(module)
  if (!quick.some((word) => text.includes(word))) return 0
  // A comment names the files that Go embeds.
  const embeds = embedsOfGo(tree, module).map((name) => `"./${name}"`)
  const code = [tree.uncommented(module), ...embeds].join('\n')
  if (made?.test(code)) return 2
  const isFolderSaid = quoted?.test(code) === true && reads.test(code)
  let found: Mention = isFolderSaid && !code.includes(name) ? 2 : 0
  for (const { index } of code.matchAll(file)) {
    const before = /[\w./-]*$/.exec(code.slice(Math.max(0, index - 200), index))?.[0] ?? ''
    const above = before.split('/').findLast((part) => part !== '' && part !== '.' && part !== '..')
    if (above !== undefined && above !== nameOf(folder)) continue
    const isBeside = folder === '' || (folderOf(module) === folder && !before.includes('..'))
    if (above !== undefined || isBeside || isFolderSaid) return 2
    found = 1
  }
  return found
}
