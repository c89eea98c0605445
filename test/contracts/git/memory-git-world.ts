import { uncommitted } from '../../world/git/user-repository.ts'
import { commitAll, createMemoryGit, createRepository, type Repository, revision, type Work } from '../../world/git.ts'
import { byBytes, type Entry, type Tree, textOf } from '../../world/objects.ts'
import { at, type Content, type FileContents, type Files, type GitWorld, type User } from './git-world.ts'

const aUser = { name: 'A User', email: 'user@localhost' }

export async function createMemoryGitWorld(files: Files): Promise<GitWorld> {
  const git = createMemoryGit('/memory/state')
  const { objects, mirror, disk, history } = git
  const repository = createRepository(objects, '/memory/my répo', null)
  const ports = { history, ...git.beside(repository) }
  const workOf = (folder: string): Work => {
    const work = folder === repository.path ? repository.work : disk.get(folder)
    if (work === undefined) throw new Error(`there is no folder ${folder}`)
    return work
  }
  const world: GitWorld = {
    ...ports,
    signal: new AbortController().signal,
    user: userOf(repository),
    another: () => ports,
    write(folder, written) {
      const work = workOf(folder)
      for (const [path, content] of Object.entries(written)) {
        // A file at the path of a folder replaces the folder.
        for (const each of [...work.keys()]) if (each.startsWith(`${path}/`)) work.delete(each)
        if (content === null) work.delete(path)
        else work.set(path, entryOf(content))
      }
    },
    shown: (folder) => shownOf(workOf(folder)),
    files: (sha) => shownOf(mirror.tree(sha)),
    commitInMirror(sha) {
      const { parents, message, author, committer, at: date } = mirror.commit(sha)
      const seconds = date.toISOString().replace(/\.\d+Z$/, '+00:00')
      const [by, and] = [author, committer].map(({ name, email }) => `${name} <${email}>`)
      return { author: by ?? '', committer: and ?? '', dates: [seconds, seconds], parents, message }
    },
    mirrorRefs: () => Object.fromEntries([...mirror.refs].sort(([a], [b]) => byBytes(a, b))),
    close: async () => {},
  }
  world.write(repository.path, files)
  if (Object.keys(files).length > 0) world.user.commitAll()
  return world
}

function userOf(repository: Repository): User {
  const { objects, branches, tags, notes } = repository
  const commitOf = (name: string) => {
    const sha = revision(repository, name)
    if (sha === null) throw new Error(`there is no ${name}`)
    return sha
  }
  return {
    path: repository.path,
    commitAll: (message = 'a commit') => commitAll(repository, message, at, aUser),
    commitTree(of, parents) {
      const tree = objects.commits.get(commitOf(of))?.tree ?? ''
      return objects.commit({ tree, parents, message: 'aside\n', at, author: aUser, committer: aUser })
    },
    branch: (name, sha = 'HEAD') => void branches.set(name, commitOf(sha)),
    removeBranch: (name) => void branches.delete(name),
    tag: (name, sha = 'HEAD') => void tags.set(name, commitOf(sha)),
    removeTag: (name) => void tags.delete(name),
    switchTo(name) {
      repository.head = branches.has(name) ? { branch: name } : { sha: commitOf(name) }
      repository.work = new Map(objects.tree(commitOf(name)))
    },
    at: (name) => revision(repository, name),
    isClean() {
      const { tracked, untracked } = uncommitted(repository)
      return tracked.length + untracked.length === 0
    },
    refs() {
      const heads = [...branches].map(([name, sha]) => [`refs/heads/${name}`, sha] as const)
      const others = [...tags].map(([name, sha]) => [`refs/tags/${name}`, sha] as const)
      return Object.fromEntries([...heads, ...others].sort(([a], [b]) => byBytes(a, b)))
    },
    notes: () => Object.fromEntries([...notes].sort(([a], [b]) => byBytes(a, b))),
    writeNote: (sha, text) => void notes.set(sha, text),
    removeNote: (sha) => void (sha === null ? notes.clear() : notes.delete(sha)),
  }
}

function entryOf(content: Content): Entry {
  if (typeof content === 'string') return { mode: '100644', bytes: Buffer.from(content) }
  if ('link' in content) return { mode: '120000', bytes: Buffer.from(content.link) }
  return { mode: '100755', bytes: Buffer.from(content.executable) }
}

function shownOf(tree: Tree): FileContents {
  const shown = [...tree].map(([path, entry]): [string, Content] => {
    if (entry.mode === '120000') return [path, { link: textOf(entry) }]
    return [path, entry.mode === '100755' ? { executable: textOf(entry) } : textOf(entry)]
  })
  return Object.fromEntries(shown.sort(([a], [b]) => byBytes(a, b)))
}
