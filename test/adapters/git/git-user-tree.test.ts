import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, readFileSync, rmSync, symlinkSync, unlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { at, identity, listing, makeReadyWorld, type World, writeFiles } from './git-world.ts'

const worlds: World[] = []
afterEach(() => {
  for (const world of worlds.splice(0)) world.close()
})

const project = { '.gitignore': '*.log\n', 'a.txt': 'a\n', 'b.txt': 'b\n', 'dir/c.txt': 'c\n', 'dir/d.txt': 'd\n' }

/** A world with a function that edits the workspace and makes a commit on the tip. */
async function world(files: Readonly<Record<string, string>> = project) {
  const made = await makeReadyWorld(files)
  worlds.push(made)
  const change = async (edit: (workspace: string) => void) => {
    edit(made.workspace)
    const kept = await made.snapshot()
    if (!kept.ok) throw new Error(kept.reason)
    return kept.snapshot.sha
  }
  /** The user's git directory, file by file, which must not change. */
  const gitDirectory = () =>
    execFileSync('sh', ['-c', 'find . -type f -exec sha256sum {} + | sort -k 2'], {
      cwd: join(made.repository, '.git'),
    }).toString()
  return { ...made, change, gitDirectory }
}

describe('applyToUserTree', () => {
  const everyKind = (w: string) => {
    writeFiles(w, { 'a.txt': 'changed\n', 'new/deep/e.txt': 'e\n' })
    rmSync(join(w, 'dir'), { recursive: true })
    symlinkSync('a.txt', join(w, 'link'))
    chmodSync(join(w, 'b.txt'), 0o755)
  }

  test('leaves the change uncommitted in the working tree, again without effect, the index untouched', async () => {
    const { userRepository, workspace, repository, tip, change, git, gitDirectory } = await world()
    const sha = await change(everyKind)
    const before = gitDirectory()
    const files = ['a.txt', 'b.txt', 'dir/c.txt', 'dir/d.txt', 'link', 'new/deep/e.txt']
    expect(await userRepository.applyToUserTree(tip, sha)).toEqual({ applied: true, files })
    expect(listing(repository)).toEqual(listing(workspace))
    const written = identity(join(repository, 'a.txt'))
    expect(await userRepository.applyToUserTree(tip, sha)).toEqual({ applied: true, files })
    expect(identity(join(repository, 'a.txt'))).toEqual(written)
    expect(gitDirectory()).toBe(before)
    expect(git('rev-parse', 'HEAD')).toBe(tip)
  })

  test('the change’s own attributes replace those that were there', async () => {
    const attributes = 'inner/.gitattributes'
    const { userRepository, repository, tip, change } = await world({
      [attributes]: '*.sh text eol=crlf\n',
      'inner/a.sh': 'one\n',
    })
    const sha = await change((w) => writeFiles(w, { [attributes]: '*.sh text eol=lf\n', 'inner/+.sh': 'one\n' }))
    expect(await userRepository.applyToUserTree(tip, sha)).toMatchObject({ applied: true })
    expect(readFileSync(join(repository, 'inner/+.sh'), 'utf8')).toBe('one\n')
  })

  test('files are written with the line ends that the user’s configuration and the change’s own attributes ask for', async () => {
    const { userRepository, repository, tip, change, git, environment } = await world()
    appendFileSync(String(environment.GIT_CONFIG_GLOBAL), '[core]\n\tautocrlf = true\n')
    rmSync(join(repository, 'a.txt'))
    git('checkout', '--', 'a.txt')
    expect(readFileSync(join(repository, 'a.txt'), 'utf8')).toBe('a\r\n')
    const sha = await change((w) =>
      writeFiles(w, { 'a.txt': 'one\ntwo\n', 'unix.sh': 'one\ntwo\n', '.gitattributes': '*.sh text eol=lf\n' }),
    )
    expect(await userRepository.applyToUserTree(tip, sha)).toMatchObject({ applied: true })
    expect(readFileSync(join(repository, 'a.txt'), 'utf8')).toBe('one\r\ntwo\r\n')
    expect(readFileSync(join(repository, 'unix.sh'), 'utf8')).toBe('one\ntwo\n')
    expect(git('diff', '--stat', '--ignore-submodules')).toContain('1 file changed, 2 insertions(+), 1 deletion(-)')
    expect(await userRepository.applyToUserTree(tip, sha)).toMatchObject({ applied: true })
  })
})

describe('snapshotUserTree', () => {
  test('holds what the working tree holds, staged or not, and leaves the user’s repository alone', async () => {
    const { history, workTrees, userRepository, repository, tip, git, gitDirectory, state, gitIn, signal } =
      await world()
    writeFiles(repository, {
      'a.txt': 'edited\n',
      'staged.txt': 'staged\n',
      'forced.log': 'x\n',
      'ignored.log': 'x\n',
      'new.txt': 'n\n',
    })
    git('add', 'staged.txt')
    git('add', '--force', 'forced.log')
    git('rm', '--quiet', '--cached', 'b.txt')
    unlinkSync(join(repository, 'dir/c.txt'))
    execFileSync('git', ['init', '--quiet', join(repository, 'nested')])
    gitIn(join(repository, 'nested'), 'commit', '--quiet', '--allow-empty', '--message', 'm')
    const before = gitDirectory()
    const { sha } = await userRepository.snapshotUserTree('refs/drydock/user', at)
    expect(gitDirectory()).toBe(before)
    expect(await history.changedFiles(tip, sha)).toEqual([
      { path: 'a.txt', status: 'modified' },
      { path: 'dir/c.txt', status: 'deleted' },
      { path: 'forced.log', status: 'added' },
      { path: 'new.txt', status: 'added' },
      { path: 'staged.txt', status: 'added' },
    ])
    expect(gitIn(join(state, 'mirror.git'), 'fsck', '--full', '--connectivity-only', 'refs/drydock/user')).toBe('')
    const path = await workTrees.checkout('user', sha, signal)
    expect(readFileSync(join(path, 'staged.txt'), 'utf8')).toBe('staged\n')
    expect((await userRepository.snapshotUserTree('refs/drydock/user', at)).sha).toBe(sha)
  })

  test('files that were staged and then left alone are in the mirror too', async () => {
    const { workTrees, userRepository, repository, git, signal } = await world()
    writeFiles(repository, { 'a.txt': 'only in the user’s objects\n' })
    // Old enough for git to trust its timestamps.
    utimesSync(join(repository, 'a.txt'), at, new Date('2001-01-01'))
    git('add', 'a.txt')
    const { sha } = await userRepository.snapshotUserTree('refs/drydock/user', at)
    const path = await workTrees.checkout('user', sha, signal)
    expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('only in the user’s objects\n')
  })

  test('an edit that only its content shows, made in the second of the user’s last commit, is seen', async () => {
    const { history, userRepository, repository, tip, git } = await world()
    const second = new Date('2026-01-01')
    const inThatSecond = (path: string) => utimesSync(join(repository, path), second, second)
    git('config', 'core.trustctime', 'false')
    inThatSecond('a.txt')
    git('update-index', '--refresh')
    inThatSecond('.git/index')
    writeFiles(repository, { 'a.txt': 'b\n' })
    inThatSecond('a.txt')
    const { sha } = await userRepository.snapshotUserTree('refs/drydock/user', at)
    expect(await history.changedFiles(tip, sha)).toEqual([{ path: 'a.txt', status: 'modified' }])
  })

  test('the user’s conversions apply', async () => {
    const { userRepository, repository, tip, environment, state, gitIn } = await world()
    appendFileSync(
      String(environment.GIT_CONFIG_GLOBAL),
      '[core]\n\tautocrlf = true\n[filter "up"]\n\tclean = tr a-z A-Z\n',
    )
    writeFiles(repository, { 'a.txt': 'one\r\n', '.gitattributes': '*.up filter=up\n', 'x.up': 'small\n' })
    const { sha } = await userRepository.snapshotUserTree('refs/drydock/user', at)
    expect(sha).not.toBe(tip)
    expect(gitIn(join(state, 'mirror.git'), 'cat-file', '-p', `${sha}:a.txt`)).toBe('one')
    expect(gitIn(join(state, 'mirror.git'), 'cat-file', '-p', `${sha}:x.up`)).toBe('SMALL')
  })
})
