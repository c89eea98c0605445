import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { makeReadyWorld, type World, writeFiles } from './git-world.ts'

const worlds: World[] = []
afterEach(() => {
  for (const world of worlds.splice(0)) world.close()
})

const project = { '.gitignore': 'node_modules/\n*.log\n', 'README.md': 'one\n', 'src/a.ts': 'export const a = 1\n' }

describe('the .git that an agent gets', () => {
  test('has the tags of commits in that history, of any kind and name, and no other', async () => {
    const world = await makeReadyWorld(project)
    worlds.push(world)
    const { workspace, workTrees, userRepository, repository, tip, commitAll, gitIn, git, signal } = world
    git('tag', '-a', '-m', 'one', 'annotated')
    git('tag', '-a', '-m', 'two', 'nested', 'annotated')
    // These names are not UTF-8, and would be equal after decoding as UTF-8.
    const input = Buffer.from(`create refs/tags/caf\xe9 ${tip}\ncreate refs/tags/caf\xe8 ${tip}\n`, 'latin1')
    execFileSync('git', ['update-ref', '--stdin'], { cwd: repository, input })
    const own = execFileSync('git', ['for-each-ref', 'refs/tags/'], { cwd: repository })
    writeFiles(repository, { 'README.md': 'later\n' })
    commitAll()
    git('tag', '-a', '-m', 'three', 'later')
    await userRepository.updateMirror(signal)
    await workTrees.prepare({ slot: 'coder-001', tip }, signal)
    expect(execFileSync('git', ['for-each-ref', 'refs/tags/'], { cwd: workspace }).equals(own)).toBe(true)
    expect(() => gitIn(workspace, 'cat-file', '-e', git('rev-parse', 'later'))).toThrow()
    expect(gitIn(workspace, 'fsck', '--full')).toBe('')
  })

  test('of a later commit has what came since as one more pack, and nothing else', async () => {
    const world = await makeReadyWorld(project)
    worlds.push(world)
    const { workspace, workTrees, userRepository, commitAll, git, gitIn, repository, tip, signal } = world
    const packs = () => {
      const folder = join(workTrees.history('coder-001'), 'pack')
      return readdirSync(folder).filter((name) => name.endsWith('.pack'))
    }
    const [first = ''] = packs()
    git('checkout', '--quiet', '-b', 'side')
    writeFiles(repository, { 'side.txt': 'side\n' })
    const side = commitAll('side')
    git('checkout', '--quiet', 'main')
    writeFiles(repository, { 'src/a.ts': 'export const a = 2\n' })
    const later = commitAll('later')
    await userRepository.updateMirror(signal)
    await workTrees.prepare({ slot: 'coder-001', tip: later }, signal)
    expect([packs().includes(first), packs().length]).toEqual([true, 2])
    expect(gitIn(workspace, 'rev-list', 'HEAD').split('\n')).toEqual([later, tip])
    expect(gitIn(workspace, 'fsck', '--full')).toBe('')
    expect(() => gitIn(workspace, 'cat-file', '-e', side)).toThrow()
    // A slot for an earlier commit has no later objects.
    await workTrees.prepare({ slot: 'coder-001', tip }, signal)
    expect(packs()).toEqual([first])
    expect(() => gitIn(workspace, 'cat-file', '-e', later)).toThrow()
  })

  test('has no tag that is gone, although a clone of an earlier commit has it', async () => {
    const world = await makeReadyWorld(project)
    worlds.push(world)
    const { workspace, workTrees, userRepository, commitAll, git, gitIn, tip, signal } = world
    git('tag', '-a', '-m', 'one', 'annotated')
    const tag = git('rev-parse', 'annotated')
    await userRepository.updateMirror(signal)
    await workTrees.prepare({ slot: 'coder-001', tip }, signal)
    expect(gitIn(workspace, 'cat-file', '-t', tag)).toBe('tag')
    git('tag', '-d', 'annotated')
    const later = commitAll()
    await userRepository.updateMirror(signal)
    await workTrees.prepare({ slot: 'coder-001', tip: later }, signal)
    expect(() => gitIn(workspace, 'cat-file', '-e', tag)).toThrow()
  })

  test('is kept ready for the last three commits only', async () => {
    const world = await makeReadyWorld(project)
    worlds.push(world)
    const { workTrees, userRepository, state, signal, commitAll, tip } = world
    const tips = [tip, ...[1, 2, 3].map(() => commitAll())]
    await userRepository.updateMirror(signal)
    for (const each of [...tips, tip]) await workTrees.prepare({ slot: 'coder-001', tip: each }, signal)
    const ready = readdirSync(join(state, 'clones')).map((name) => name.slice(0, tip.length))
    expect(ready.sort()).toEqual([tips[2], tips[3], tip].sort())
  })
})
