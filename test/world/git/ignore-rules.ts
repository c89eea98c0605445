import { excludedPatterns } from '../../../src/domain/story/context-folder.ts'
import { type Tree, textOf } from '../objects.ts'

interface Rule {
  readonly isNegated: boolean
  readonly isForFolders: boolean
  /** Tested with the path relative to the folder of the rule's file. */
  readonly matches: RegExp
}

/**
 * The paths that git ignores in a work tree by its `.gitignore` files, and Drydock's own context
 * files. The path of a folder ends in a slash. Tracked files are treated like all others.
 */
export function ignoreRules(work: Tree, excluded = excludedPatterns): (path: string) => boolean {
  const files = new Map<string, readonly Rule[]>()
  for (const [path, entry] of work)
    if (/(^|\/)\.gitignore$/.test(path) && entry.mode !== '120000')
      files.set(path.slice(0, -'.gitignore'.length), rulesOf(textOf(entry)))
  const own = rulesOf(excluded)
  /** The last rule for the path, in the nearest file that has one. */
  const decide = (path: string, isFolder: boolean): boolean | null => {
    const spoken = (rules: readonly Rule[], from: string) =>
      rules.findLast((rule) => (isFolder || !rule.isForFolders) && rule.matches.test(path.slice(from.length)))
    for (const folder of foldersOf(path)) {
      const rule = spoken(files.get(folder) ?? [], folder)
      if (rule !== undefined) return !rule.isNegated
    }
    const rule = spoken(own, '')
    return rule === undefined ? null : !rule.isNegated
  }
  return (path) => {
    const names = path.split('/').filter((name) => name !== '')
    const isFolder = (i: number) => i < names.length - 1 || path.endsWith('/')
    // A path below an ignored folder cannot be included again.
    return names.some((_, i) => decide(names.slice(0, i + 1).join('/'), isFolder(i)) === true)
  }
}

/** The folders of a path, each ending in a slash, the nearest first and the root last. */
function foldersOf(path: string): readonly string[] {
  const names = path.split('/').slice(0, -1)
  return [...names.map((_, i) => `${names.slice(0, i + 1).join('/')}/`).reverse(), '']
}

function rulesOf(text: string): readonly Rule[] {
  return text.split('\n').flatMap((line): readonly Rule[] => {
    const plain = line.replace(/\r$/, '').replace(/(?<!\\) +$/, '')
    if (plain === '' || plain.startsWith('#')) return []
    const isNegated = plain.startsWith('!')
    const pattern = plain.slice(isNegated ? 1 : 0)
    const isForFolders = pattern.endsWith('/')
    const path = pattern.replace(/\/$/, '')
    const isAnchored = path.includes('/')
    return [{ isNegated, isForFolders, matches: new RegExp(`^${isAnchored ? '' : '(?:.*/)?'}${regexOf(path)}$`, 's') }]
  })
}

/** Converts a git glob to the source of a regular expression. */
function regexOf(path: string): string {
  const tokens = path.replace(/^\//, '').match(/^\*\*\/|\/\*\*\/|\/\*\*$|\*+|\[[!^]?\]?[^\]]*\]|\\.|./gsu) ?? []
  return tokens
    .map((token) => {
      if (token === '**/') return '(?:.*/)?'
      if (token === '/**/') return '/(?:.*/)?'
      if (token === '/**') return '/.+'
      if (token.startsWith('*')) return '[^/]*'
      if (token === '?') return '[^/]'
      if (token.length > 2 && token.startsWith('['))
        return `[${token.slice(1, -1).replace(/^[!^]/, '^').replaceAll('\\', '\\\\')}]`
      return (token.startsWith('\\') ? token.slice(1) : token).replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
    })
    .join('')
}
