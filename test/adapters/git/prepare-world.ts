import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { at, makeWorld } from './git-world.ts'

export const project = {
  '.gitignore': 'node_modules/\n*.log\n',
  '.gitattributes': '*.bat text eol=crlf\n',
  'README.md': 'one\n',
  'run.bat': 'echo 1\necho 2\n',
  'src/a.ts': 'export const a = 1\n',
  'src/deep/b.ts': 'export const b = 2\n',
  'lib/c.ts': 'export const c = 3\n',
}

/**
 * A slot prepared for a commit with a link and an executable, and the listing of a plain `git
 * clone` of the same commit. The world is closed at the end of the test, or by `atEnd`.
 */
export async function prepared(atEnd: (close: () => void) => void = onTestFinished) {
  const world = makeWorld(project)
  atEnd(() => world.close())
  const { repository, workTrees, userRepository, signal, top } = world
  symlinkSync('src/a.ts', join(repository, 'link'))
  writeFileSync(join(repository, 'tool.sh'), '#!/bin/sh\n', { mode: 0o755 })
  const tip = world.commitAll('with a link and a tool')
  await workTrees.initialize(['coder-001'])
  await userRepository.updateMirror(signal)
  const prepare = (tree?: string) =>
    workTrees.prepare({ slot: 'coder-001', tip, ...(tree === undefined ? {} : { tree }) }, signal)
  await prepare()
  const input = { slot: 'coder-001', parents: [tip], ref: 'refs/drydock/a', last: null, message: 'm', at }
  const keep = () => workTrees.snapshot(input, signal)
  const clone = join(top, 'clone')
  world.gitIn(top, 'clone', '--quiet', repository, clone)
  const workspace = workTrees.path('coder-001')
  const config = readFileSync(join(workspace, '.git/config'), 'utf8')
  return { ...world, tip, prepare, keep, workspace, clone, config }
}
