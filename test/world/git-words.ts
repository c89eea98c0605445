import { commitAll, headOf, type Repository, revision } from './git.ts'
import { changedFiles, textOf } from './objects.ts'

/** The few things that scenarios ask git about. */
export function gitWords(repository: Repository, refs: ReadonlyMap<string, string>, args: readonly string[]): string {
  // Drydock's own mirror has the same commits, and the hidden refs.
  if (args[0] === '--git-dir') return gitWords(repository, refs, args.slice(2))
  const { objects, branches } = repository
  const at = (name: string) => {
    const sha = name.startsWith('refs/drydock/') ? (refs.get(name) ?? null) : revision(repository, name)
    if (sha === null) throw new Error(`fatal: bad revision ${name}`)
    return sha
  }
  const [command = '', ...rest] = args
  const words = rest.filter((each) => !each.startsWith('-'))
  const format = rest.find((each) => each.startsWith('--format='))?.slice(9) ?? '%H'
  const formatted = (sha: string) => {
    const commit = objects.commits.get(sha)
    return format.replaceAll(/%(H|T|P|s|B)/g, (_, letter: string) => {
      if (letter === 'H') return sha
      if (letter === 'T') return commit?.tree ?? ''
      if (letter === 'P') return commit?.parents.join(' ') ?? ''
      return letter === 's' ? (commit?.message.split('\n')[0] ?? '') : (commit?.message ?? '')
    })
  }
  switch (command) {
    case 'rev-parse': {
      if (rest.includes('--abbrev-ref')) return 'branch' in repository.head ? repository.head.branch : 'HEAD'
      const [name = ''] = words
      if (name.endsWith('^{tree}')) return objects.commits.get(at(name.slice(0, -7)))?.tree ?? ''
      return at(name)
    }
    case 'show': {
      const [name = '', path = ''] = (words[0] ?? '').split(':')
      const found = objects.tree(at(name)).get(path)
      if (found === undefined) throw new Error(`fatal: path ${path} does not exist in ${name}`)
      return textOf(found).trim()
    }
    case 'ls-tree':
      return [
        ...new Set(
          [...objects.tree(at(words[0] ?? '')).keys()].map((path) =>
            rest.includes('-r') ? path : (path.split('/')[0] ?? ''),
          ),
        ),
      ]
        .sort()
        .join('\n')
    case 'log':
    case 'rev-list': {
      const [from = '', to] = (words[0] ?? 'HEAD').includes('..')
        ? (words[0] ?? '').split('..')
        : ['', words[0] ?? 'HEAD']
      const without = from === '' ? new Set() : new Set(objects.ancestors(at(from)))
      const all = objects.ancestors(at(to ?? '')).filter((sha) => !without.has(sha))
      if (rest.includes('--count')) return String(all.length)
      const most = rest.find((each) => /^-\d+$/.test(each))
      return all
        .slice(0, most === undefined ? all.length : Number(most.slice(1)))
        .map(formatted)
        .join('\n')
        .trim()
    }
    case 'branch': {
      const wanted = rest.includes('--list') ? words[0]?.replace('*', '') : undefined
      if (wanted !== undefined)
        return [...branches.keys()]
          .filter((name) => name.startsWith(wanted))
          .map((name) => `  ${name}`)
          .join('\n')
          .trim()
      const [name = '', to = 'HEAD'] = words
      if (rest.includes('-D')) branches.delete(name)
      else branches.set(name, at(to))
      return ''
    }
    case 'for-each-ref':
      return [...branches.keys()]
        .filter((name) => words.every((under) => `refs/heads/${name}`.startsWith(under)))
        .map((name) =>
          rest.some((each) => each.includes('lstrip')) ? name : `${branches.get(name)} commit\trefs/heads/${name}`,
        )
        .sort()
        .join('\n')
    case 'diff':
      return changedFiles(objects.tree(at(words[0] ?? '')), objects.tree(at(words[1] ?? '')))
        .map(({ path }) => path)
        .join('\n')
    case 'status': {
      const head = headOf(repository)
      const known = head === null ? new Map() : objects.tree(head)
      const changes = changedFiles(known, repository.work)
      return changes
        .map(({ path, status }) => (status === 'added' ? `?? ${path}` : ` ${status === 'deleted' ? 'D' : 'M'} ${path}`))
        .join('\n')
        .trim()
    }
    case 'add':
      return ''
    case 'commit':
      return commitAll(repository, words.at(-1) ?? '')
    case 'switch':
    case 'checkout': {
      const name = words.at(-1) ?? ''
      if (rest.includes('-c') || rest.includes('-b')) branches.set(name, at('HEAD'))
      repository.head = branches.has(name) ? { branch: name } : { sha: at(name) }
      repository.work = new Map(objects.tree(headOf(repository) ?? ''))
      return ''
    }
    case 'commit-tree': {
      const tree = objects.commits.get(at((words[0] ?? '').replace('^{tree}', '')))?.tree ?? ''
      const parents = rest.flatMap((each, i) => (each === '-p' ? [at(rest[i + 1] ?? '')] : []))
      return objects.commit({ tree, parents, message: rest.at(-1) ?? '', at: new Date('2026-11-03T10:00:00Z') })
    }
    default:
      throw new Error(`a world in memory knows no git ${args.join(' ')}`)
  }
}
