import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { namesIn } from '../../../src/adapters/sandbox/runner/paths.ts'

test('a folder whose place a link has taken, or the place of one above it, shows no names', () => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'drydock-test-')))
  onTestFinished(() => rmSync(top, { recursive: true }))
  const own = join(top, 'own')
  for (const folder of ['own/a/b', 'other/b']) mkdirSync(join(top, folder), { recursive: true })
  writeFileSync(join(own, 'a/b/mine.txt'), '')
  writeFileSync(join(top, 'other/b/secret.txt'), '')
  expect([namesIn(own, '.'), namesIn(own, 'a/b')]).toEqual([['a'], ['mine.txt']])
  renameSync(join(own, 'a'), join(own, 'aside'))
  symlinkSync(join(top, 'other'), join(own, 'a'))
  expect([namesIn(own, 'a'), namesIn(own, 'a/b'), namesIn(own, 'none')]).toEqual([[], [], []])
})
