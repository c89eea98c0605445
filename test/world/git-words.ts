import { changedFiles } from './git/changes.ts'
import { commitAll, headOf, type Repository, revision } from './git.ts'
import { blobOf, identityAt, textOf } from './objects.ts'

/** A user's repository, and Drydock's mirror of it with its hidden refs. */
interface GitWordsInput {
  readonly repository: Repository
  readonly refs: ReadonlyMap<string, string>
}

interface Words extends GitWordsInput {
  /** The arguments after the command. */
  readonly args: readonly string[]
  /** The arguments without options and their values. */
  readonly words: readonly string[]
  has(...options: readonly string[]): boolean
  value(option: string): string | undefined
  /** The commit of a name. */
  at(name: string): string
}

/** The few git commands that scenarios use. */
export function gitWords(asked: GitWordsInput, all: readonly string[]): string {
  // Drydock's own mirror has the same commits, and the hidden refs.
  if (all[0] === '--git-dir') return gitWords(asked, all.slice(2))
  const [name = '', ...args] = all
  const command = commands[name]
  if (command === undefined) throw new Error(`a world in memory knows no git ${all.join(' ')}`)
  const value = (option: string) => {
    const joined = args.find((each) => each.startsWith(`${option}=`))
    if (joined !== undefined) return joined.slice(option.length + 1)
    const place = args.indexOf(option)
    return place < 0 ? undefined : args[place + 1]
  }
  const valued = new Set(
    ['-m', '-qm', '-qam', '-p', '-b', '-c'].map((each) => args.indexOf(each)).filter((i) => i >= 0),
  )
  return command({
    ...asked,
    args,
    value,
    words: args.filter((each, i) => !each.startsWith('-') && !valued.has(i - 1)),
    has: (...options) => options.some((option) => args.includes(option)),
    at: (wanted) => commitOf(asked, wanted),
  })
}

function commitOf({ repository, refs }: GitWordsInput, name: string): string {
  const [, hidden, steps = ''] = /^(refs\/drydock\/[^~^]+)(.*)$/.exec(name) ?? []
  const sha = hidden === undefined ? undefined : refs.get(hidden)
  const found = revision(repository, sha === undefined ? name : `${sha}${steps}`)
  if (found === null) throw new Error(`fatal: bad revision ${name}`)
  return found
}

/** A commit in the format of `--format`. */
function formatted({ repository }: GitWordsInput, sha: string, format: string): string {
  const { tree = '', parents = [], message = '', author, committer } = repository.objects.commits.get(sha) ?? {}
  const of: Readonly<Record<string, string>> = {
    H: sha,
    T: tree,
    P: parents.join(' '),
    s: message.split('\n')[0] ?? '',
    B: message,
  }
  return format
    .replaceAll('%x09', '\t')
    .replaceAll('%n', '\n')
    .replaceAll('%(trailers:only)', /(?:\n[\w-]+: .*)+\n*$/.exec(message)?.[0].trim() ?? '')
    .replaceAll(/%([ac])([ne])/g, (_, of: string, part: string) => {
      const who = of === 'a' ? author : committer
      return (part === 'n' ? who?.name : who?.email) ?? ''
    })
    .replaceAll(/%\(trailers:key=([\w-]+)[^)]*\)/g, (_, key: string) =>
      [...message.matchAll(new RegExp(`^${key}: (.*)$`, 'gm'))].map(([, said]) => said).join(','),
    )
    .replaceAll(/%([HTPsB])/g, (_, letter: string) => of[letter] ?? '')
}

function history({ args, words, has, value, at, repository, refs }: Words): readonly string[] {
  const { objects, branches } = repository
  const [range = 'HEAD'] = words
  const [from, to] = range.includes('..') ? range.split('..') : [undefined, range]
  const ends = has('--all') ? [...branches.values(), ...refs.values()] : [at(to || 'HEAD')]
  const without = new Set(from === undefined ? [] : objects.ancestors(at(from)))
  const most = args.find((each) => /^-\d+$/.test(each))?.slice(1)
  const wanted = new RegExp(value('--grep') ?? '', 'm')
  const found = [...new Set(ends.flatMap((end) => objects.ancestors(end)))]
    .filter((sha) => !without.has(sha) && wanted.test(objects.commits.get(sha)?.message ?? ''))
    .slice(0, most === undefined ? undefined : Number(most))
  return has('--reverse') ? found.toReversed() : found
}

const lines = (all: readonly string[]) => all.join('\n').trim()

const letter = { added: 'A', modified: 'M', deleted: 'D', renamed: 'R' } as const

function log(asked: Words): string {
  const format = asked.value('--format') ?? '%H'
  return lines(history(asked).map((sha) => formatted(asked, sha, format)))
}

function switchTo({ words, has, value, at, repository }: Words): string {
  const [path = ''] = words
  const committed = headOf(repository) === null ? undefined : repository.objects.tree(at('HEAD')).get(path)
  if (committed !== undefined) {
    repository.work.set(path, committed)
    return ''
  }
  const made = value('-b') ?? value('-c')
  if (made !== undefined) repository.branches.set(made, at('HEAD'))
  const name = made ?? words[0] ?? 'HEAD'
  repository.head = !has('--detach') && repository.branches.has(name) ? { branch: name } : { sha: at(name) }
  repository.work = new Map(repository.objects.tree(at('HEAD')))
  return ''
}

function branch({ words, has, value, at, repository }: Words): string {
  const { branches, head } = repository
  if (has('--show-current')) return 'branch' in head ? head.branch : ''
  const [name = '', to = 'HEAD'] = words
  if (has('--list')) {
    const found = [...branches.keys()].filter((each) =>
      name.endsWith('*') ? each.startsWith(name.slice(0, -1)) : each === name,
    )
    return lines(found.toSorted().map((each) => (value('--format') === undefined ? `  ${each}` : each)))
  }
  if (has('-D')) branches.delete(name)
  else if (has('-m')) {
    const [from = '', into = ''] = [value('-m'), name]
    branches.set(into, at(from))
    branches.delete(from)
  } else if (branches.has(name) && !has('-f', '--force'))
    throw new Error(`fatal: a branch named '${name}' already exists`)
  else branches.set(name, at(to))
  return ''
}

/** Files that were removed from the index, but stay in the working tree. */
const untracked = new WeakMap<Repository, Set<string>>()

const commands: Readonly<Record<string, (asked: Words) => string>> = {
  log,
  'rev-list': (asked) => (asked.has('--count') ? String(history(asked).length) : log(asked)),
  branch,
  switch: switchTo,
  checkout: switchTo,
  add: () => '',
  'sparse-checkout'({ words: [, ...folders], repository }) {
    repository.sparse = folders
    return ''
  },
  'rev-parse'({ words: [name = ''], has, at, repository }) {
    if (has('--abbrev-ref')) return 'branch' in repository.head ? repository.head.branch : 'HEAD'
    const [commit = '', isTree] = name.endsWith('^{tree}') ? [name.slice(0, -7), true] : [name, false]
    return isTree ? (repository.objects.commits.get(at(commit))?.tree ?? '') : at(commit)
  },
  show(asked) {
    const { words, has, at, repository } = asked
    const { objects } = repository
    const [name = 'HEAD', path] = (words[0] ?? 'HEAD').split(':')
    if (path !== undefined) {
      const found = objects.tree(at(name)).get(path)
      if (found === undefined) throw new Error(`fatal: path '${path}' does not exist in '${name}'`)
      return textOf(found).trim()
    }
    if (!has('--name-only')) throw new Error(`a world in memory shows no commit ${name}`)
    const [parent] = objects.commits.get(at(name))?.parents ?? []
    return lines(
      changedFiles(parent === undefined ? new Map() : objects.tree(parent), objects.tree(at(name))).map(
        ({ path }) => path,
      ),
    )
  },
  'ls-tree'({ words: [name = 'HEAD', ...paths], has, at, repository }) {
    const tree = repository.objects.tree(at(name))
    const all = [...tree.keys()].map((path) => (has('-r') ? path : (path.split('/')[0] ?? '')))
    const shown = [...new Set(all)].filter((path) => paths.length === 0 || paths.includes(path)).toSorted()
    return lines(has('--name-only') ? shown : shown.map((path) => `${identityAt(tree, path)}\t${path}`))
  },
  'for-each-ref'({ words, has, value, repository: { branches } }) {
    const under = (name: string) => words.every((word) => `refs/heads/${name}`.startsWith(word.replace('*', '')))
    const found = [...branches.keys()].filter(under).toSorted()
    const shown = (name: string) =>
      (value('--format') ?? '%(objectname) commit\t%(refname)')
        .replaceAll(/%\(refname:(short|lstrip=2)\)/g, name)
        .replaceAll('%(refname)', `refs/heads/${name}`)
        .replaceAll('%(objectname)', branches.get(name) ?? '')
    return lines((has('--sort=-refname') ? found.toReversed() : found).map(shown))
  },
  diff({ words: [one = '', other = ''], has, at, repository: { objects } }) {
    const files = changedFiles(objects.tree(at(one)), objects.tree(at(other)))
    if (has('--name-only')) return lines(files.map(({ path }) => path))
    const each = files.flatMap(({ path, status, from }) =>
      status === 'renamed' ? [`D\t${from}`, `A\t${path}`] : [`${letter[status]}\t${path}`],
    )
    return lines(each.toSorted((a, b) => a.slice(2).localeCompare(b.slice(2))))
  },
  status({ repository }) {
    const head = headOf(repository)
    const known = head === null ? new Map() : repository.objects.tree(head)
    return lines(
      changedFiles(known, repository.work).map(({ path, status }) =>
        status === 'added' ? `?? ${path}` : ` ${letter[status]} ${path}`,
      ),
    )
  },
  rm({ words: [path = ''], repository }) {
    untracked.set(repository, (untracked.get(repository) ?? new Set()).add(path))
    return ''
  },
  commit({ value, repository }) {
    const { work } = repository
    const left = untracked.get(repository) ?? new Set()
    repository.work = new Map([...work].filter(([path]) => !left.has(path)))
    const sha = commitAll(repository, value('-qm') ?? value('-qam') ?? value('-m') ?? '')
    repository.work = work
    return sha
  },
  'commit-tree'({ args, words: [tree = ''], value, at, repository: { objects } }) {
    const parents = args.flatMap((each, i) => (each === '-p' ? [at(args[i + 1] ?? '')] : []))
    const of = objects.commits.get(at(tree.replace('^{tree}', '')))?.tree ?? ''
    return objects.commit({ tree: of, parents, message: value('-m') ?? '', at: new Date('2026-11-03T10:00:00Z') })
  },
  stash({ at, repository }) {
    repository.work = new Map(repository.objects.tree(at('HEAD')))
    return ''
  },
  'update-ref'({ words: [ref = '', to = ''], at, repository }) {
    repository.branches.set(ref.replace('refs/heads/', ''), at(to))
    return ''
  },
  'symbolic-ref': ({ repository: { head } }) => ('branch' in head ? `refs/heads/${head.branch}` : ''),
  'ls-files': ({ repository: { work } }) =>
    lines([...work].map(([path, entry]) => `${entry.mode} ${blobOf(entry)} 0\t${path}`)),
  notes: ({ repository: { notes } }) => lines([...notes.keys()]),
  config: () => '',
}
