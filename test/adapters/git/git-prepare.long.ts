import { statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { at, writeFiles } from './git-world.ts'
import { prepared, project } from './prepare-world.ts'

test('a snapshot sees each edit that has the size and the times of the file before, at once and seconds later', async () => {
  const { workspace, prepare, keep, tip, history, workTrees, userRepository, top, repository, git, commitAll, signal } =
    await prepared()
  const file = join(workspace, 'src/a.ts')
  const seen = async () => {
    const result = await keep()
    return result.ok && (await history.diff({ from: tip, to: result.snapshot.sha, maxBytes: 10_000 })).text
  }
  const nextSecond = async () => {
    const second = () => {
      writeFileSync(join(top, 'now'), '')
      return Math.floor(statSync(join(top, 'now')).mtimeMs / 1_000)
    }
    for (const now = second(); second() === now; ) await setTimeout(20)
  }
  for (const first of ['the edit', 'a snapshot']) {
    writeFileSync(file, 'to be written anew')
    await prepare()
    const { atime, mtime } = statSync(file)
    const edit = (content: string) => {
      writeFileSync(file, content)
      utimesSync(file, atime, mtime)
    }
    if (first === 'a snapshot') expect(await seen()).toBe('')
    edit('export const a = 6\n')
    await nextSecond()
    expect(await seen()).toContain('+export const a = 6')
    for (const turn of [7, 8, 9]) {
      edit(`export const a = ${turn}\n`)
      expect(await seen()).toContain(`+export const a = ${turn}`)
    }
    edit(project['src/a.ts'])
    expect(await seen()).toBe('')
  }
  // The index now matches the tip; with another parent, that parent's files count as tracked.
  writeFiles(repository, { 'kept.log': 'x' })
  git('add', '--force', 'kept.log')
  const parent = commitAll()
  await userRepository.updateMirror(signal)
  writeFiles(workspace, { 'kept.log': 'x' })
  const input = { slot: 'coder-001', parents: [parent], ref: 'refs/drydock/b', last: null, message: 'm', at }
  expect(await workTrees.snapshot(input, signal)).toMatchObject({
    snapshot: { tree: git('rev-parse', `${parent}^{tree}`) },
  })
})
