import { expect, test } from 'vitest'
import { progressReader, withoutProgress } from '../../../src/adapters/git/progress.ts'
import { makeReadyWorld } from './git-world.ts'

function readAll(pieces: readonly string[]) {
  const told: unknown[] = []
  const read = progressReader((progress) => told.push(Object.values(progress).join(' ')))
  for (const piece of pieces) read(Buffer.from(piece))
  return told
}

test('the progress of git is read as it arrives, in any pieces', () => {
  const printed =
    'Enumerating objects: 17, done.\nCounting objects:   5% (1/17)\rremote: Writing objects: 100% (17/17)\r'
  const told = ['Enumerating objects 17 ', 'Counting objects 1 17', 'Writing objects 17 17']
  expect(readAll([printed])).toEqual(told)
  expect(readAll([...printed])).toEqual(told)
})

test('other output than progress goes to errors, without the progress', () => {
  const printed = 'Counting objects: 5% (1/17)\rfatal: bad object 12: 34\nwarning: Total: none\n'
  expect(readAll([printed])).toEqual(['Counting objects 1 17'])
  expect(withoutProgress(printed).trim()).toBe('fatal: bad object 12: 34\nwarning: Total: none')
})

test('a workspace that is made says how far its history is', async () => {
  const { workTrees, userRepository, commitAll, signal, close } = await makeReadyWorld()
  const tip = commitAll()
  await userRepository.updateMirror(signal)
  const steps = new Set<string>()
  await workTrees.prepare({ slot: 'coder-001', tip, onProgress: ({ step }) => steps.add(step) }, signal)
  expect([...steps]).toContain('Writing objects')
  close()
})
